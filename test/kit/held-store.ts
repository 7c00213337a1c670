import type {
  AppendReceipt,
  EventStore,
  ExpectedRevision,
  NewEvent,
  ReadOptions,
  RecordedEvent,
  WaitOptions,
} from '../../src/event-store/event-store.js';

interface HeldAppend {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  /** Sends it on, and lets its answer through. */
  pass(): Promise<void>;
  /** Answers with an error; `isWritten`: though it stands. */
  fail(error: Error, options?: { readonly isWritten: boolean }): Promise<void>;
}

/** A store whose appends and reads a test can hold, let go, and let fail. */
export class HeldStore implements EventStore {
  readonly appends: { readonly stream: string; readonly events: readonly NewEvent[] }[] = [];
  readCount = 0;
  /** Reads fail with it, while there is one. */
  readError: Error | undefined;
  private isHolding: (stream: string) => boolean = () => false;
  private readonly held: HeldAppend[] = [];
  private onHeld: (() => void)[] = [];

  readonly subscribeToStream: EventStore['subscribeToStream'];
  readonly subscribeToStreams: EventStore['subscribeToStreams'];
  readonly streamLimits: EventStore['streamLimits'];
  readonly setStreamLimits: EventStore['setStreamLimits'];
  readonly readiness: EventStore['readiness'];
  readonly close: EventStore['close'];

  constructor(private readonly store: EventStore) {
    this.subscribeToStream = (...of) => store.subscribeToStream(...of);
    this.subscribeToStreams = (...of) => store.subscribeToStreams(...of);
    this.streamLimits = async (...of) => store.streamLimits(...of);
    this.setStreamLimits = async (...of) => store.setStreamLimits(...of);
    this.readiness = () => store.readiness();
    this.close = async () => store.close();
  }

  hold(): void {
    this.isHolding = () => true;
  }

  holdOnly(stream: string): void {
    this.isHolding = (other) => other === stream;
  }

  /** Lets through what is held, and all that comes. */
  async letGo(): Promise<void> {
    this.isHolding = () => false;
    for (const append of this.held.splice(0)) await append.pass();
  }

  /** The first append that is held, once there is one. */
  async nextHeld(): Promise<HeldAppend> {
    while (this.held.length === 0) {
      await new Promise<void>((resolve) => {
        this.onHeld.push(resolve);
      });
    }
    return this.held.shift() as HeldAppend;
  }

  get heldCount(): number {
    return this.held.length;
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    options: WaitOptions & { readonly expectedRevision: ExpectedRevision },
  ): Promise<AppendReceipt> {
    this.appends.push({ stream, events });
    if (!this.isHolding(stream)) return this.store.append(stream, events, options);
    return new Promise((resolve, reject) => {
      const send = async (): Promise<AppendReceipt> => this.store.append(stream, events, options);
      const { signal } = options;
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
      this.held.push({
        stream,
        events,
        pass: async () => send().then(resolve, reject),
        fail: async (error, { isWritten } = { isWritten: false }) => {
          if (isWritten) await send();
          reject(error);
        },
      });
      for (const told of this.onHeld.splice(0)) told();
    });
  }

  readStream(stream: string, options: ReadOptions = {}): AsyncIterable<readonly RecordedEvent[]> {
    this.readCount += 1;
    if (!this.readError) return this.store.readStream(stream, options);
    const error = this.readError;
    return {
      [Symbol.asyncIterator]: () => ({ next: async () => Promise.reject(error) }),
    };
  }
}
