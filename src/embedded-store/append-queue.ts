import { LogFailed, WriteRefused } from './errors.js';
import { limits } from './limits.js';

interface Pending {
  readonly bytes: number;
  readonly events: number;
  readonly write: () => unknown;
  readonly resolve: (outcome: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface AppendQueueOptions {
  /** Runs the work in one transaction and returns once it is on disk. */
  readonly transaction: <T>(bytes: number, work: () => T) => T;
  readonly onLogFailure: (error: Error) => void;
}

/** Group commit: what has arrived when the event loop comes round is written in one transaction. */
export class AppendQueue {
  private pending: Pending[] = [];
  private bytes = 0;
  private isScheduled = false;
  /** Set once the log has failed; from then on nothing is written any more. */
  private failure: LogFailed | undefined;
  private isClosed = false;
  private onEmpty: (() => void) | undefined;

  constructor(private readonly options: AppendQueueOptions) {}

  get queuedBytes(): number {
    return this.bytes;
  }

  async add<T>(bytes: number, events: number, write: () => T): Promise<T> {
    if (this.failure) throw this.failure;
    if (this.isClosed) throw new WriteRefused('the store is stopping');
    return new Promise<T>((resolve, reject) => {
      this.pending.push({ bytes, events, write, resolve, reject });
      this.bytes += bytes;
      this.schedule();
    });
  }

  /** Refuses what comes from now on, and resolves when all that came before has its outcome. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.pending.length === 0) return;
    await new Promise<void>((resolve) => (this.onEmpty = resolve));
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.commit(this.takeGroup());
      if (this.pending.length > 0) this.schedule();
      else this.onEmpty?.();
    });
  }

  private takeGroup(): readonly Pending[] {
    let [events, bytes] = [0, 0];
    const end = this.pending.findIndex((append) => {
      events += append.events;
      bytes += append.bytes;
      return events > limits.groupEventsMax || bytes > limits.groupBytesMax;
    });
    const group = this.pending.splice(0, end === -1 ? this.pending.length : Math.max(end, 1));
    this.bytes -= sumOfBytes(group);
    return group;
  }

  private commit(group: readonly Pending[]): void {
    try {
      if (this.failure) throw this.failure;
      const outcomes = this.options.transaction(sumOfBytes(group), () => group.map(({ write }) => write()));
      group.forEach(({ resolve }, index) => resolve(outcomes[index] as never));
    } catch (error) {
      this.refuse(group, error);
    }
  }

  /** A group that was rolled back is tried again one by one, so that only what cannot be written is refused. */
  private refuse(group: readonly Pending[], error: unknown): void {
    if (error instanceof LogFailed) this.fail(error);
    if (group.length > 1) for (const append of group) this.commit([append]);
    else for (const { reject } of group) reject(error);
  }

  private fail(error: LogFailed): void {
    if (this.failure) return;
    this.failure = error;
    this.options.onLogFailure(error);
  }
}

const sumOfBytes = (group: readonly Pending[]): number => group.reduce((sum, { bytes }) => sum + bytes, 0);
