import type { Command } from '../core/tracker/command.js';
import type { FactAnswer } from '../core/tracker/decision.js';
import type { Fact } from '../core/tracker/fact.js';
import type { TrackerState } from '../core/tracker/state.js';
import { encodedBytes } from './encoded-bytes.js';
import { Waiting, type CommandEntry, type Reply } from './entries.js';
import { InputTooLarge, OutcomeUnknown, Unavailable } from './errors.js';
import { trackerLimits } from './limits.js';
import { recover } from './recovery.js';
import { Term } from './term.js';
import type { DurableListener, Ending } from './term-ending.js';
import type { TrackerOptions } from './tracker-options.js';

export interface CommandOptions {
  /** Made at the edge, before the first try: it names the input in the log. */
  readonly id: string;
  /** How long to wait for the answer, in milliseconds. @default the tracker's `commandTimeoutMs` */
  readonly timeoutMs?: number;
}

/** The single writer: it leads from its start until it resigns, or finds that somebody else does. */
export class Tracker {
  /** Resolves once it leads no more. Nothing leaves it after that. */
  readonly ended: Promise<Ending>;

  private constructor(
    private readonly term: Term,
    private readonly options: TrackerOptions,
  ) {
    this.ended = term.ended;
  }

  /**
   * Rebuilds the state from the log and takes the next term.
   *
   * @throws LeadershipLost if somebody else took it first
   * @throws LogUnusable, UnknownEvent, ChainBroken if the log cannot be folded
   * @throws the store's own errors
   */
  static async lead(options: TrackerOptions, signal?: AbortSignal): Promise<Tracker> {
    const recovered = await recover(options, signal);
    return new Tracker(await Term.start(options, recovered, signal), options);
  }

  /** Of what is durable. To be read, and not kept: it is folded further. It lags behind while a snapshot is taken. */
  get state(): TrackerState {
    return this.term.durableState;
  }

  /** What is decided on: all that is durable, and what may come to be. Nothing that only stands here may be told to anybody. */
  get latest(): TrackerState {
    return this.term.latestState;
  }

  /** Resolves once `state` has folded all that is durable now. */
  async folded(): Promise<void> {
    await this.term.folded();
  }

  /** How long ago we were last proven to lead, in milliseconds (P3). */
  get proofAgeMs(): number {
    return this.term.proofAgeMs;
  }

  /**
   * @throws InputTooLarge, and nothing was written
   * @throws Unavailable if it was surely not accepted
   * @throws OutcomeUnknown if it may have been: only the same command with the same id may be repeated
   * @throws InputQuarantined if it broke an invariant; it was not accepted
   */
  async decide(command: Command, { id, timeoutMs }: CommandOptions): Promise<Reply> {
    const bytes = checkCommandBytes(command);
    return new Promise<Reply>((resolve, reject) => {
      const waitMs = timeoutMs ?? this.options.commandTimeoutMs ?? 10_000;
      const cancel = this.options.runtime.after(waitMs, () => entry.waiting.fail(expired(entry, waitMs)));
      const waiting = new Waiting(resolve, reject, cancel);
      const entry: CommandEntry = { id, command, bytes, waiting, wasTaken: false };
      this.term.offerCommand(entry);
    });
  }

  /**
   * @returns what the node that told the fact is to hear
   * @throws InputTooLarge if the report is too large
   * @throws Unavailable if it was not taken, or its fate is unknown: it may be told again
   * @throws InputQuarantined if it broke an invariant
   */
  async tell(fact: Fact, { id }: { readonly id: string }): Promise<FactAnswer> {
    const bytes = checkFactBytes(fact);
    return new Promise<FactAnswer>((resolve, reject) => {
      const waiting = new Waiting(resolve, reject, () => undefined);
      this.term.offerFact({ id, fact, bytes, waiting });
    });
  }

  /** @returns how to stop listening */
  onDurable(listener: DurableListener): () => void {
    return this.term.onDurable(listener);
  }

  /** Tells of each proof of leadership (P3). @returns how to stop listening */
  onProven(listener: () => void): () => void {
    return this.term.onProven(listener);
  }

  /** Takes no more input, settles what is under way, and writes TermEnded (P1). Resigning twice is fine. */
  async resign(): Promise<void> {
    await this.term.resign();
  }
}

const expired = ({ wasTaken }: CommandEntry, waitMs: number): Error =>
  wasTaken
    ? new OutcomeUnknown(`no outcome within ${waitMs} ms; repeat it with the same id`)
    : new Unavailable(`it was not taken up within ${waitMs} ms`, 1_000);

const checkCommandBytes = (command: Command): number => {
  if (command.type !== 'SubmitJob' || command.payload === undefined) return 0;
  return checked('payload', encodedBytes(command.payload), trackerLimits.payloadBytesMax);
};

const checkFactBytes = (fact: Fact): number => {
  if (fact.type !== 'AttemptReported') return 0;
  const { report } = fact;
  if (report.state === 'ended')
    return checked('result', encodedBytes(report.end), trackerLimits.payloadBytesMax);
  if (report.state !== 'checkpointed') return 0;
  return checked('checkpoint', encodedBytes(report.checkpoint), trackerLimits.checkpointBytesMax);
};

const checked = (field: string, bytes: number, bytesMax: number): number => {
  if (bytes > bytesMax) throw new InputTooLarge(field, bytes, bytesMax);
  return bytes;
};
