import type { Instant } from '../core/instant.js';
import type { Command, CancelJob, SubmitJob } from '../core/tracker/command.js';
import type { Decision } from '../core/tracker/decision.js';
import type { Fact } from '../core/tracker/fact.js';
import type { EffectiveTime } from '../leadership/effective-time.js';
import type { Commits } from './commits.js';
import type { Cause, Deciding } from './deciding.js';
import type { DurableFold } from './durable-fold.js';
import type { CommandEntry, FactEntry, Reply } from './entries.js';
import { InputQuarantined, OutcomeUnknown, Unavailable } from './errors.js';
import type { EncodedDecision } from './group.js';
import type { Inbox } from './inbox.js';
import { trackerLimits } from './limits.js';
import type { Fate } from './outputs.js';
import { Poisoning } from './poisoning.js';
import type { TrackerOptions } from './tracker-options.js';

interface IntakeOptions extends Pick<TrackerOptions, 'archive' | 'quarantine' | 'log'> {
  readonly deciding: Deciding;
  readonly durable: DurableFold;
  readonly commits: Commits;
  readonly commandInbox: Inbox<CommandEntry>;
  readonly factInbox: Inbox<FactEntry>;
  readonly time: EffectiveTime;
  readonly signal: AbortSignal;
  /** Stores what was decided, and lets the answer out in its turn. */
  readonly emit: (encoded: EncodedDecision | undefined, answer?: Answer) => void;
  /** There is work, though no input came. */
  readonly wake: () => void;
}

interface Answer {
  readonly deliver: () => void;
  readonly drop: (fate: Fate) => void;
}

const clockCause: Cause = { causationId: 'clock' };

/** Takes inputs from their queues and lets them be decided, in turn with the pump (P10, P12). */
export class Intake {
  private readonly poisoning: Poisoning;
  /** Facts of the clock, which come from nobody. */
  private clockFacts: Fact[] = [];
  /** A fact of which a part is still to be integrated. */
  private unfinished: FactEntry | undefined;
  private mayPlace = true;
  private cause = clockCause;
  private lookupCount = 0;

  constructor(private readonly options: IntakeOptions) {
    this.poisoning = new Poisoning(options);
  }

  /** Nothing waits here, and nothing is left to be placed. */
  get isQuiet(): boolean {
    const { commandInbox, factInbox } = this.options;
    const isIdle = commandInbox.count + factInbox.count + this.clockFacts.length + this.lookupCount === 0;
    return isIdle && this.unfinished === undefined && !this.poisoning.isPoisoned;
  }

  /** The clock ticks: it is an input too. */
  tick(): void {
    const byMs = this.options.time.takeJump();
    // An older tick that was not taken up yet says nothing that this one does not.
    this.clockFacts = this.clockFacts.filter(({ type }) => type !== 'TimePassed');
    if (byMs !== undefined) this.clockFacts.push({ type: 'ClockJumped', byMs });
    this.clockFacts.push({ type: 'TimePassed' });
    if (!this.mayPlace) this.cause = clockCause;
    this.mayPlace = true;
    this.poisoning.tick();
  }

  /** @returns whether there is more to do at once */
  work(): boolean {
    if (!this.poisoning.isCured()) return false;
    const now = this.options.time.now();
    this.takeClockFacts(now);
    this.takeFacts(now);
    this.takeCommands(now);
    if (!this.unfinished) this.place(now);
    return !this.isHeldUp && (this.mayPlace || this.hasInput);
  }

  private get isHeldUp(): boolean {
    return this.options.commits.isFull || this.poisoning.isPoisoned;
  }

  private get hasInput(): boolean {
    return (
      this.options.commandInbox.count + this.options.factInbox.count > 0 || this.unfinished !== undefined
    );
  }

  private takeClockFacts(now: Instant): void {
    while (this.clockFacts.length > 0 && !this.isHeldUp) {
      const fact = this.clockFacts.shift();
      if (!fact) return;
      this.guarded({ id: 'clock', input: fact }, () => {
        const { outcome, encoded } = this.options.deciding.fact(fact, clockCause, this.later(fact, now));
        this.options.emit(encoded);
        if (outcome.rest) this.clockFacts.unshift(outcome.rest);
      });
    }
  }

  /** After a jump it is later than it was. */
  private later(fact: Fact, now: Instant): Instant {
    return fact.type === 'ClockJumped' ? Math.max(now, this.options.time.now()) : now;
  }

  private takeFacts(now: Instant): void {
    for (let count = 0; count < trackerLimits.inputsPerTurnMax && !this.isHeldUp; count += 1) {
      const entry = this.unfinished ?? this.options.factInbox.take();
      this.unfinished = undefined;
      if (!entry) return;
      this.takeFact(entry, now);
    }
  }

  private takeFact(entry: FactEntry, now: Instant): void {
    const cause = { causationId: entry.id };
    const isFine = this.guarded({ id: entry.id, input: entry.fact }, () => {
      const { outcome, encoded } = this.options.deciding.fact(entry.fact, cause, now);
      this.noteCause(cause, encoded);
      if (outcome.rest) {
        this.options.emit(encoded);
        this.unfinished = { ...entry, fact: outcome.rest };
        return;
      }
      this.options.emit(encoded, {
        deliver: () => entry.waiting.answer(outcome.answer),
        drop: () => entry.waiting.fail(new Unavailable('this server does not lead any more', 0)),
      });
    });
    if (!isFine) entry.waiting.fail(quarantined(entry.id));
  }

  private takeCommands(now: Instant): void {
    if (this.unfinished) return;
    for (let count = 0; count < trackerLimits.inputsPerTurnMax && !this.isHeldUp; count += 1) {
      const entry = this.options.commandInbox.take();
      if (!entry) return;
      // Whoever waited for it was told that it was not taken up.
      if (!entry.waiting.isOver) this.takeCommand(entry, now);
    }
  }

  private takeCommand(entry: CommandEntry, now: Instant): void {
    const { id, command, waiting } = entry;
    const cause = { causationId: id, by: command.by.submitter };
    const isFine = this.guarded({ id, input: command }, () => {
      const { outcome, encoded } = this.options.deciding.command(command, cause, now);
      if (outcome.kind === 'look-up') {
        void this.lookUp(entry, outcome.since);
        return;
      }
      this.noteCause(cause, encoded);
      if (encoded) entry.wasTaken = true;
      const reply = replyTo(outcome, this.options.deciding.state.revision);
      this.options.emit(encoded, {
        deliver: () => waiting.answer(reply),
        drop: (fate) => waiting.fail(dropped(fate, encoded !== undefined)),
      });
    });
    if (!isFine) waiting.fail(quarantined(id));
  }

  /** The job may have left memory: what is known of it elsewhere enters with the command (P23). */
  private async lookUp(entry: CommandEntry, since: number): Promise<void> {
    const { archive, commandInbox, signal, wake } = this.options;
    const command = entry.command as SubmitJob | CancelJob;
    this.lookupCount += 1;
    try {
      const lookup = await archive.find(command.jobId, since, signal);
      commandInbox.putBack({ ...entry, command: { ...command, lookup } });
    } catch (error) {
      entry.waiting.fail(new Unavailable('finished jobs cannot be looked up now', 1_000, { cause: error }));
    } finally {
      this.lookupCount -= 1;
      wake();
    }
  }

  private place(now: Instant): void {
    if (!this.mayPlace || this.isHeldUp || this.poisoning.isPumpPaused) return;
    const isFine = this.guarded({ id: 'pump' }, () => {
      const { outcome, encoded } = this.options.deciding.pump(this.cause, now);
      this.options.emit(encoded);
      this.mayPlace = !outcome.isQuiet;
    });
    if (!isFine) this.poisoning.pausePump();
  }

  private noteCause(cause: Cause, encoded: EncodedDecision | undefined): void {
    if (!encoded) return;
    this.mayPlace = true;
    this.cause = cause;
  }

  /** @returns whether it went well; if not, the speculative state is of no more use (P6) */
  private guarded(of: { readonly id: string; readonly input?: Command | Fact }, action: () => void): boolean {
    try {
      action();
      return true;
    } catch (error) {
      this.poisoning.begin(of, error);
      return false;
    }
  }
}

const replyTo = (outcome: Exclude<Decision, { kind: 'look-up' }>, revision: number): Reply =>
  outcome.kind === 'rejected'
    ? { ...outcome, decidedAt: revision }
    : { kind: 'accepted', revision, wasNew: outcome.events.length > 0 };

const dropped = (fate: Fate, wroteSomething: boolean): Error =>
  wroteSomething && fate !== 'lost'
    ? new OutcomeUnknown('this server stopped leading meanwhile; repeat it with the same id')
    : new Unavailable('this server does not lead any more', 0);

const quarantined = (id: string): Error =>
  new InputQuarantined(`the input ${id} broke an invariant; it was set aside and changed nothing`);
