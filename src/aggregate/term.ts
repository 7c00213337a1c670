import type { ClusterId, Revision } from '../core/ids.js';
import type { Event } from '../core/tracker/event.js';
import type { TrackerState } from '../core/tracker/state.js';
import { EffectiveTime } from '../leadership/effective-time.js';
import { LeadershipLost } from '../leadership/leadership-lost.js';
import { proveByReading } from '../leadership/prove-by-reading.js';
import { Proofs } from '../leadership/proofs.js';
import { WakeUp } from '../runtime/wake-up.js';
import { Commits } from './commits.js';
import { Deciding, type Cause } from './deciding.js';
import type { DurableFold } from './durable-fold.js';
import type { CommandEntry, FactEntry } from './entries.js';
import { Unavailable } from './errors.js';
import type { EncodedDecision } from './group.js';
import { Inbox } from './inbox.js';
import { Intake } from './intake.js';
import { trackerLimits } from './limits.js';
import { Outputs, type Fate, type Output } from './outputs.js';
import type { Recovered } from './recovery.js';
import { SnapshotRoutine } from './snapshot-routine.js';
import { trackerStreamOf } from './streams.js';
import type { DurableListener, Ending } from './term-ending.js';
import type { TrackerOptions } from './tracker-options.js';

const clockCause: Cause = { causationId: 'clock' };

/** One leadership, from TermStarted to its end: the loop that decides, stores, and lets out. */
export class Term {
  readonly ended: Promise<Ending>;

  private readonly stream: string;
  private readonly durable: DurableFold;
  private readonly proofs: Proofs;
  private readonly outputs: Outputs;
  private readonly commits: Commits;
  private readonly deciding: Deciding;
  private readonly time: EffectiveTime;
  private readonly intake: Intake;
  private readonly snapshots: SnapshotRoutine;
  private readonly commandInbox = new Inbox<CommandEntry>(
    trackerLimits.commandsMax,
    trackerLimits.commandBytesMax,
  );
  private readonly factInbox = new Inbox<FactEntry>(trackerLimits.factsMax);
  private readonly wakeUp = new WakeUp();
  private readonly stopping = new AbortController();
  private readonly listeners = new Set<DurableListener>();
  private readonly proofListeners = new Set<() => void>();
  private end: (ending: Ending) => void = () => undefined;

  private state: 'leading' | 'resigning' | 'over' = 'leading';
  private isProving = false;
  private cancelTick: () => void = () => undefined;

  private constructor(
    private readonly options: TrackerOptions,
    recovered: Recovered,
  ) {
    const { store, runtime, partition = '0' } = options;
    this.stream = trackerStreamOf(partition);
    this.durable = recovered.durable;
    this.proofs = new Proofs(runtime.now, () => {
      for (const listener of this.proofListeners) listener();
    });
    this.outputs = new Outputs(this.proofs);
    this.time = new EffectiveTime(runtime, this.durable.state.at);
    this.deciding = new Deciding(recovered.speculative, this.durable.hash, runtime.newId);
    this.commits = new Commits({
      store,
      stream: this.stream,
      runtime,
      proofs: this.proofs,
      durable: this.durable,
      signal: this.stopping.signal,
      onDurable: () => this.onAppended(),
      onEnd: (error, fate) => this.finish({ kind: 'ended', error }, fate),
    });
    this.snapshots = new SnapshotRoutine(options, this.durable, recovered.snapshotRevision, {
      onMoved: () => this.wakeUp.raise(),
      onUnusable: (error) => this.finish({ kind: 'ended', error }),
    });
    this.intake = new Intake({
      ...options,
      deciding: this.deciding,
      durable: this.durable,
      commits: this.commits,
      commandInbox: this.commandInbox,
      factInbox: this.factInbox,
      time: this.time,
      signal: this.stopping.signal,
      emit: (encoded, output) => this.emit(encoded, output),
      wake: () => this.wakeUp.raise(),
    });
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  /** @throws LeadershipLost if somebody else took the term first */
  static async start(options: TrackerOptions, recovered: Recovered, signal?: AbortSignal): Promise<Term> {
    const term = new Term(options, recovered);
    const abort = (): void => {
      term.finish({ kind: 'ended', error: new LeadershipLost('the start was aborted') });
    };
    signal?.addEventListener('abort', abort);
    try {
      await term.begin();
    } finally {
      signal?.removeEventListener('abort', abort);
    }
    return term;
  }

  get durableState(): TrackerState {
    return this.durable.state;
  }

  get latestState(): TrackerState {
    return this.deciding.state;
  }

  get proofAgeMs(): number {
    return this.proofs.ageMs();
  }

  offerCommand(entry: CommandEntry): void {
    if (this.state !== 'leading')
      entry.waiting.fail(new Unavailable('this server does not lead any more', 0));
    else if (this.commandInbox.offer(entry)) this.wakeUp.raise();
    else entry.waiting.fail(new Unavailable('too many commands are waiting to be decided', 1_000));
  }

  offerFact(entry: FactEntry): void {
    if (this.state !== 'leading')
      entry.waiting.fail(new Unavailable('this server does not lead any more', 0));
    else if (this.factInbox.offer(entry)) this.wakeUp.raise();
    else entry.waiting.fail(new Unavailable('too many facts are waiting to be integrated', 1_000));
  }

  onDurable(listener: DurableListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  onProven(listener: () => void): () => void {
    this.proofListeners.add(listener);
    return () => this.proofListeners.delete(listener);
  }

  async resign(): Promise<void> {
    if (this.state === 'leading') {
      this.state = 'resigning';
      this.wakeUp.raise();
    }
    await this.ended;
  }

  async folded(): Promise<void> {
    await this.durable.folded();
  }

  private async begin(): Promise<void> {
    const { runtime, serverId, settings } = this.options;
    const at = this.time.now();
    const cause: Cause = { causationId: runtime.newId(), by: serverId };
    const isEmpty = this.durable.revision < 0;
    if (isEmpty) {
      const clusterId = runtime.newId() as ClusterId;
      this.emit(this.deciding.append({ type: 'ClusterCreated', clusterId, at }, cause));
    }
    const term = this.deciding.state.term.number + 1;
    this.emit(this.deciding.append({ type: 'TermStarted', term, leader: serverId, settings, at }, cause));
    const started = new Promise<void>((resolve) => {
      this.outputs.add({
        ...this.decidedNow(),
        deliver: resolve,
        drop: () => undefined,
      });
    });
    this.send();
    const first = await Promise.race([started, this.ended]);
    if (first?.kind === 'ended') throw first.error;
    this.scheduleTick();
    this.wakeUp.raise();
    void this.lead();
  }

  private async lead(): Promise<void> {
    const { runtime } = this.options;
    try {
      while (!this.isOver()) {
        await this.wakeUp.next();
        // Whoever calls in the same turn shares the append.
        await runtime.turn();
        if (this.isOver()) return;
        if (this.state === 'resigning') this.turnAway();
        if (this.intake.work()) this.wakeUp.raise();
        this.send();
        if (
          this.state === 'resigning' &&
          this.intake.isQuiet &&
          this.commits.isIdle &&
          this.outputs.isEmpty
        ) {
          await this.leave();
          return;
        }
      }
    } catch (error) {
      this.finish({ kind: 'ended', error: error instanceof Error ? error : new Error(String(error)) });
    }
  }

  private isOver(): boolean {
    return this.state === 'over';
  }

  /** The last thing a term writes (P1). */
  private async leave(): Promise<void> {
    const at = this.time.now();
    const { number: term } = this.deciding.state.term;
    this.emit(this.deciding.append({ type: 'TermEnded', term, at }, clockCause));
    const gone = new Promise<void>((resolve) => {
      this.outputs.add({ ...this.decidedNow(), deliver: resolve, drop: () => undefined });
    });
    this.send();
    await Promise.race([gone, this.ended]);
    await this.snapshots.takeLast(this.stopping.signal);
    this.finish({ kind: 'resigned' });
  }

  private turnAway(): void {
    const waiting = [...this.commandInbox.takeAll(), ...this.factInbox.takeAll()];
    for (const entry of waiting) entry.waiting.fail(new Unavailable('this server is resigning', 0));
  }

  /** Stores what was decided, and lets it out in its turn. */
  private emit(encoded: EncodedDecision | undefined, output?: Pick<Output, 'deliver' | 'drop'>): void {
    if (encoded) this.commits.add(encoded);
    if (!encoded && !output) return;
    const { revision, moment } = this.decidedNow();
    this.outputs.add({
      revision,
      moment,
      deliver: () => {
        if (encoded) this.tell(encoded.events, revision - encoded.events.length + 1);
        output?.deliver();
      },
      drop: (fate) => output?.drop(fate),
    });
  }

  private decidedNow() {
    return { revision: this.deciding.state.revision, moment: this.proofs.mark() };
  }

  private tell(events: readonly Event[], firstRevision: Revision): void {
    for (const listener of this.listeners) listener(events, firstRevision);
  }

  private send(): void {
    this.commits.send();
    this.outputs.release(this.durable.revision);
    if (this.outputs.needsProof(this.durable.revision) && !this.commits.willProve) void this.prove();
  }

  private onAppended(): void {
    this.outputs.release(this.durable.revision);
    this.snapshots.takeIfDue(this.stopping.signal);
    // What was decided meanwhile leaves without waiting for a turn.
    this.send();
    this.wakeUp.raise();
  }

  private async prove(): Promise<void> {
    if (this.isProving) return;
    this.isProving = true;
    const proven = this.proofs.ask();
    try {
      const { store } = this.options;
      const term = this.durable.state.term.number;
      await proveByReading({ store, stream: this.stream, term, signal: this.stopping.signal });
      proven();
    } catch (error) {
      if (error instanceof LeadershipLost) this.finish({ kind: 'ended', error });
      // Any other: a store that does not answer proves nothing, and is asked again at the next tick.
    } finally {
      this.isProving = false;
    }
    this.outputs.release(this.durable.revision);
    this.wakeUp.raise();
  }

  private scheduleTick(): void {
    const { runtime, tickMs = 1_000 } = this.options;
    this.cancelTick = runtime.after(tickMs, () => {
      if (this.isOver()) return;
      this.scheduleTick();
      this.intake.tick();
      if (this.proofs.ageMs() >= tickMs) void this.prove();
      this.snapshots.takeIfDue(this.stopping.signal);
      this.wakeUp.raise();
    });
  }

  private finish(ending: Ending, fate: Fate = 'unknown'): void {
    if (this.isOver()) return;
    this.state = 'over';
    this.cancelTick();
    this.turnAway();
    this.outputs.dropAll(this.durable.revision, fate);
    this.stopping.abort(ending.kind === 'ended' ? ending.error : new LeadershipLost('resigned'));
    this.end(ending);
    this.wakeUp.raise();
  }
}
