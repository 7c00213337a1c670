import {
  AccessDenied,
  AppendConflict,
  AppendOutcomeUnknown,
  AppendRefused,
  AppendTooLarge,
  EventStoreClosed,
  RequestRefused,
  StoreUnavailable,
  StreamTombstoned,
  WaitAborted,
  WaitExpired,
} from './errors.js';
import type { AppendReceipt, RecordedEvent, Revision } from './event-store.js';
import { NoAnswer, type Acknowledgement, type PreparedAppend } from './session.js';

/** What settling needs of the store. Each call ends with its wait, by `WaitExpired`, `WaitAborted` or `EventStoreClosed`. */
export interface AppendLine {
  /** Sends the append once. `onSent` is called before anything can have left this process. */
  send(append: PreparedAppend, onSent: () => void): Promise<Acknowledgement>;
  /** The events that stand from `revision` on, at most `maxCount`, as the leader has them. */
  standingFrom(stream: string, revision: Revision, maxCount: number): Promise<readonly RecordedEvent[]>;
  /** The last revision of the stream. */
  lastRevision(stream: string): Promise<Revision | 'no-stream'>;
  /** Waits before the next repetition, longer with each. */
  pause(repetitionCount: number): Promise<void>;
}

type Standing =
  { readonly kind: 'own'; readonly last: RecordedEvent } | { readonly kind: 'other' | 'neither' };

/** First of the revisions the append asks for. */
const firstRevision = (append: PreparedAppend): Revision =>
  typeof append.expected === 'number' ? append.expected + 1 : 0;

/**
 * P4: whose ids stand at the append's revisions. An append stands whole or not at all, so any event seen there decides.
 * Seeing none there says nothing: the append may still be under way, or its places may have been truncated.
 */
const judgeStanding = (append: PreparedAppend, found: readonly RecordedEvent[]): Standing => {
  const first = firstRevision(append);
  let last: RecordedEvent | undefined;
  for (const event of found) {
    const own = append.events[event.revision - first];
    if (own === undefined) continue;
    if (own.id.toLowerCase() !== event.id.toLowerCase()) return { kind: 'other' };
    last = event;
  }
  return last ? { kind: 'own', last } : { kind: 'neither' };
};

const isWaitEnd = (error: unknown): error is Error =>
  error instanceof WaitExpired ||
  error instanceof WaitAborted ||
  error instanceof EventStoreClosed ||
  error instanceof StoreUnavailable;

const isRefusal = (error: unknown): error is Error =>
  error instanceof AppendTooLarge ||
  error instanceof AppendRefused ||
  error instanceof RequestRefused ||
  error instanceof AccessDenied ||
  error instanceof StreamTombstoned;

/**
 * Carries one append to its outcome, by P4: what was sent without an answer is looked for in the log and repeated unchanged
 * until either its own ids or other ids are seen at its revisions.
 */
export class AppendSettlement {
  private readonly append: PreparedAppend;
  private readonly line: AppendLine;
  private wasSent = false;

  constructor(append: PreparedAppend, line: AppendLine) {
    this.append = append;
    this.line = line;
  }

  /** Throws what `EventStore.append` throws. */
  async settle(): Promise<AppendReceipt> {
    try {
      return await this.reachOutcome();
    } catch (error) {
      // An ended wait is no outcome: once something was sent, it may stand or come to stand.
      if (isWaitEnd(error) && this.wasSent) throw this.unknown(error);
      throw error;
    }
  }

  private async reachOutcome(): Promise<AppendReceipt> {
    const first = await this.sendFirst();
    if (!(first instanceof NoAnswer)) return { ...first, wasAcknowledgedAtFirstSending: true };
    // The store cannot tell a repetition at any revision from a new append.
    if (this.append.expected === 'any') throw this.unknown(first);
    for (let repetitionCount = 1; ; repetitionCount += 1) {
      const receipt = (await this.look()) ?? (await this.repeat(repetitionCount));
      if (receipt) return receipt;
    }
  }

  private async sendFirst(): Promise<Acknowledgement | NoAnswer> {
    try {
      return await this.send();
    } catch (error) {
      if (error instanceof NoAnswer) return error;
      throw error;
    }
  }

  /** What stands in the log; nothing if that is no outcome yet. */
  private async look(): Promise<AppendReceipt | undefined> {
    const { stream, events } = this.append;
    const found = await this.unlessUnsettling(
      this.line.standingFrom(stream, firstRevision(this.append), events.length),
    );
    if (found === undefined) return undefined;
    const standing = judgeStanding(this.append, found);
    if (standing.kind === 'own') return receiptOf(standing.last);
    if (standing.kind === 'other') throw await this.lost();
    return undefined;
  }

  private async repeat(repetitionCount: number): Promise<AppendReceipt | undefined> {
    await this.line.pause(repetitionCount);
    try {
      const acknowledged = await this.send();
      return { ...acknowledged, wasAcknowledgedAtFirstSending: false };
    } catch (error) {
      if (error instanceof AppendConflict) return this.lookAfterConflict(error);
      // A refusal of this sending says nothing about the one before.
      if (error instanceof NoAnswer || isRefusal(error)) return undefined;
      throw error;
    }
  }

  /** A wrong revision on a repetition may be the trace of the append's own first sending: only the log tells. */
  private async lookAfterConflict(conflict: AppendConflict): Promise<AppendReceipt | undefined> {
    const receipt = await this.look();
    const { actual } = conflict;
    const lastPlace = firstRevision(this.append) + this.append.events.length - 1;
    // The stream has passed the places and they cannot be seen: they are truncated, and nobody will ever know.
    if (receipt === undefined && actual !== 'no-stream' && actual >= lastPlace) throw this.unknown(conflict);
    return receipt;
  }

  private async send(): Promise<Acknowledgement> {
    return this.line.send(this.append, () => {
      this.wasSent = true;
    });
  }

  private async lost(): Promise<AppendConflict> {
    const { stream, expected } = this.append;
    const seen = (await this.unlessUnsettling(this.line.lastRevision(stream))) ?? firstRevision(this.append);
    return new AppendConflict({ stream, expected, actual: seen });
  }

  /** Reads that fail settle nothing either way, so they are tried again after the next repetition. */
  private async unlessUnsettling<T>(read: Promise<T>): Promise<T | undefined> {
    try {
      return await read;
    } catch (error) {
      if (error instanceof NoAnswer || isRefusal(error)) return undefined;
      throw error;
    }
  }

  private unknown(cause: Error): AppendOutcomeUnknown {
    return new AppendOutcomeUnknown(this.append.stream, this.append.expected, { cause });
  }
}

const receiptOf = (event: RecordedEvent): AppendReceipt => ({
  revision: event.revision,
  position: event.position,
  wasAcknowledgedAtFirstSending: false,
});
