import type { EventData, ExpectedRevision, Position, RecordedEvent, Revision } from './event-store.js';

/** A node of a cluster, as another node names it. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** An event whose bytes are settled: every sending of it is the same. */
export interface PreparedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: EventData;
  readonly metadata?: Uint8Array;
}

export interface PreparedAppend {
  readonly stream: string;
  readonly events: readonly PreparedEvent[];
  readonly expected: ExpectedRevision;
}

export interface Acknowledgement {
  readonly revision: Revision;
  readonly position: Position;
}

/** A bounded read: it ends by itself, so that no call is left open behind it. */
export interface PageRequest {
  readonly stream: string;
  readonly direction: 'forwards' | 'backwards';
  readonly from: Revision | 'start' | 'end';
  readonly maxCount: number;
  readonly requiresLeader: boolean;
}

export type FeedRequest =
  | { readonly kind: 'stream'; readonly stream: string; readonly after: Revision | undefined }
  | { readonly kind: 'prefixes'; readonly prefixes: readonly string[]; readonly after: Position | undefined };

export type FeedItem =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'checkpoint'; readonly position: Position }
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'fell-behind' };

/** One subscription at the store, until it is cancelled or fails. Holds back the store while nobody takes. */
export interface Feed {
  /** What has arrived, in order, at most `maxCount`. */
  take(maxCount: number): readonly FeedItem[];
  /** Whether something has arrived that was not taken. */
  readonly hasArrivals: boolean;
  /** Since when, in monotonic milliseconds; absent while there is nothing. */
  readonly untakenSince: number | undefined;
  /** Resolves at the next sign of life, or at once if there is something to take; rejects when the feed has failed. */
  arrival(): Promise<void>;
  cancel(): void;
}

/**
 * One connection to the store, from its opening to its end. It never reconnects: that is what `Connection` is for.
 *
 * Calls reject with the port's errors where the store gave an answer, and with `NoAnswer` where it gave none.
 */
export interface Session {
  /**
   * Sends in the order of calls.
   *
   * @param onSent called before anything can have left this process; if it was not called, nothing was written
   * @param signal the wait for it: an append whose wait is over when its turn comes is not sent
   */
  append(append: PreparedAppend, onSent: () => void, signal: AbortSignal): Promise<Acknowledgement>;
  /** No events if the stream does not exist. */
  readPage(request: PageRequest, signal: AbortSignal): Promise<readonly RecordedEvent[]>;
  /** The newest events of the whole store, newest first. */
  readNewest(maxCount: number, signal: AbortSignal): Promise<readonly RecordedEvent[]>;
  subscribe(request: FeedRequest): Feed;
  /** Calls the store has not ended yet. */
  readonly openCallCount: number;
  /** Resolves once nothing of this session can call back any more. */
  dispose(): Promise<void>;
}

/** The store did not say what became of a call: the connection broke, it was silent, or it said that it does not know. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** Whether the whole session is of no use any more. */
  readonly endsSession: boolean;
  /** The node to try next, where the store named one. */
  readonly leader: Endpoint | undefined;

  constructor(
    message: string,
    options: ErrorOptions & { readonly endsSession: boolean; readonly leader?: Endpoint },
  ) {
    super(message, options);
    this.endsSession = options.endsSession;
    this.leader = options.leader;
  }
}
