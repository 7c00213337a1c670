import {
  AppendConflict,
  AppendOutcomeUnknown,
  AppendRefused,
  StoreUnavailable,
  WaitExpired,
} from '../event-store/errors.js';
import type { AppendReceipt, EventStore } from '../event-store/event-store.js';
import { LeadershipLost } from '../leadership/leadership-lost.js';
import type { Proofs } from '../leadership/proofs.js';
import type { Runtime } from '../runtime/runtime.js';
import type { DurableFold } from './durable-fold.js';
import { Group, type EncodedDecision } from './group.js';

/** How long to wait before an append that was not taken is sent again, in milliseconds. */
const retryAfterMs = 250;

interface CommitsOptions {
  readonly store: EventStore;
  readonly stream: string;
  readonly runtime: Runtime;
  readonly proofs: Proofs;
  readonly durable: DurableFold;
  readonly signal: AbortSignal;
  readonly onDurable: () => void;
  /** The term cannot go on. `fate`: of what is not durable. */
  readonly onEnd: (reason: Error, fate: 'lost' | 'unknown') => void;
}

/**
 * Makes decisions durable, in their order, one append at a time; what is decided while one is under way leaves together in the
 * next. An append is repeated unchanged until its outcome is known (P4).
 */
export class Commits {
  private open = new Group();
  private sealed: Group[] = [];
  private isSending = false;

  constructor(private readonly options: CommitsOptions) {}

  /** Full: nothing more should be decided until an append has come to its end. */
  get isFull(): boolean {
    return this.sealed.length > 0;
  }

  get isIdle(): boolean {
    return !this.isSending && this.sealed.length === 0 && this.open.isEmpty;
  }

  /** Whether an append that is still to be asked for will be a proof. */
  get willProve(): boolean {
    return this.sealed.length > 0 || !this.open.isEmpty;
  }

  add(decision: EncodedDecision): void {
    if (!this.open.isEmpty && !this.open.hasRoomFor(decision)) {
      this.sealed.push(this.open);
      this.open = new Group();
    }
    this.open.add(decision);
  }

  /** Sends what there is, unless something is under way. */
  send(): void {
    if (this.isSending || !this.willProve) return;
    let group = this.sealed.shift();
    if (!group) {
      group = this.open;
      this.open = new Group();
    }
    this.isSending = true;
    void this.carry(group);
  }

  private async carry(group: Group): Promise<void> {
    const { durable, onDurable, onEnd } = this.options;
    try {
      await this.settle(group);
      durable.append(group);
      this.isSending = false;
      onDurable();
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(String(error));
      // Others stand where ours would: what we sent, and all after it, will never be in the log.
      onEnd(reason, reason instanceof LeadershipLost ? 'lost' : 'unknown');
    }
  }

  private async settle(group: Group): Promise<AppendReceipt> {
    const { store, stream, durable, proofs, runtime, signal } = this.options;
    const expectedRevision = durable.revision < 0 ? 'no-stream' : durable.revision;
    // A repetition of what may stand already proves nothing when it is acknowledged.
    let mayStand = false;
    for (;;) {
      const proven = proofs.ask();
      try {
        const receipt = await store.append(stream, group.stored, { expectedRevision, signal });
        if (receipt.wasAcknowledgedAtFirstSending && !mayStand) proven();
        return receipt;
      } catch (error) {
        if (signal.aborted) throw error;
        if (error instanceof AppendConflict) {
          throw new LeadershipLost(`somebody else writes to ${stream}: ${error.message}`, { cause: error });
        }
        if (error instanceof AppendOutcomeUnknown) mayStand = true;
        else if (!isPassing(error)) throw error;
      }
      await pause(runtime, retryAfterMs, signal);
    }
  }
}

/** Nothing was written, and the same append may go through later. */
const isPassing = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof WaitExpired || error instanceof AppendRefused;

const pause = async (runtime: Runtime, ms: number, signal: AbortSignal): Promise<void> => {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const cancel = runtime.after(ms, end);
    function end(): void {
      signal.removeEventListener('abort', end);
      cancel();
      resolve();
    }
    signal.addEventListener('abort', end);
  });
  signal.throwIfAborted();
};
