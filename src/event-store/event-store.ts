/**
 * The port to the event store, in our words. One adapter serves production, a laptop and the tests alike
 * (`EventStoreClient`); the in-process twin of the tests passes the same contract suite.
 */

/**
 * Place of an event in its stream: a safe integer, counted from 0 without gaps. The event that ends a stream for good, which
 * only subscriptions by prefix see, has the largest there is.
 */
export type Revision = number;

/** Place of an event in the whole store. Grows, may have gaps, and is only ever compared or handed back. */
export type Position = bigint;

/** What the writer knows of the stream: its last revision, that it does not exist, or nothing. */
export type ExpectedRevision = Revision | 'no-stream' | 'any';

export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined };

/** JSON is stored as JSON text, bytes as they are. */
export type EventData = JsonValue | Uint8Array;

export interface NewEvent {
  /** A UUID made by the writer. Repeating an append with the same ids and expected revision appends once. */
  readonly id: string;
  /** The stored name, such as `job-placed.v1`. */
  readonly type: string;
  readonly data: EventData;
  readonly metadata?: EventData;
}

export interface RecordedEvent {
  readonly stream: string;
  readonly revision: Revision;
  readonly position: Position;
  readonly id: string;
  readonly type: string;
  readonly data: EventData;
  /** Absent where the writer gave none. */
  readonly metadata?: EventData;
  /** When the store wrote it, by the store's wall clock, in milliseconds since 1970. */
  readonly createdAt: number;
}

/** Bounds of one wait. */
export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** How long the whole call may take, in milliseconds: from 0, which sends nothing, to `Infinity`. The default is the adapter's `timeoutMs`. */
  readonly timeoutMs?: number;
}

export interface AppendReceipt {
  /** Revision of the last event of this append. */
  readonly revision: Revision;
  readonly position: Position;
  /**
   * True if the very first sending was acknowledged: proof that nobody else had appended before it arrived (P2).
   * False if the outcome was settled by a read or a repetition (P4): the events are in the log, nothing more.
   * It speaks of this call alone: a caller that repeats an append with the same ids gets no proof by it.
   */
  readonly wasAcknowledgedAtFirstSending: boolean;
}

/** The limit of the wait is for each page: a long history is read as slowly as its reader likes. */
export interface ReadOptions extends WaitOptions {
  /** @default 'forwards' */
  readonly direction?: 'forwards' | 'backwards';
  /** The first revision that is returned. @default 'start' forwards, 'end' backwards */
  readonly from?: Revision | 'start' | 'end';
  /** How many events at most. @default all */
  readonly maxCount?: number;
  /** How many events a page holds at most. @default 500 */
  readonly pageSize?: number;
  /** Only the leader of a cluster may answer, so that the answer is not stale. @default false */
  readonly requiresLeader?: boolean;
}

/** What a subscription hands over: events in order, and whether these were the newest there were. */
export interface SubscriptionBatch {
  readonly events: readonly RecordedEvent[];
  /** True once the reader has everything that was in the store when the batch was made. May come with no events. */
  readonly isCaughtUp: boolean;
  /**
   * Resuming after this position misses nothing and repeats nothing, also where the filter left events out. Subscriptions to one
   * stream have none: they resume after a revision.
   */
  readonly checkpoint?: Position;
}

export interface SubscribeOptions {
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal;
  /** Names the subscription in readiness and logs. @default the stream, or the prefixes */
  readonly name?: string;
}

export interface StreamLimits {
  /** Only the newest so many events are kept; at least 1. */
  readonly maxCount?: number;
  /** Events before this revision are gone. */
  readonly truncateBefore?: Revision;
}

export interface SubscriptionLag {
  readonly name: string;
  readonly isCaughtUp: boolean;
  /** How long the subscription has been behind the newest event known, in milliseconds; 0 when caught up. */
  readonly behindMs: number;
}

/** Judged by what the store did lately, not by whether a socket is open. */
export interface Readiness {
  readonly isReady: boolean;
  /** Since the last append or read that succeeded, in milliseconds; absent before the first. */
  readonly lastSuccessAgoMs?: number;
  readonly subscriptions: readonly SubscriptionLag[];
}

export interface EventStore {
  /**
   * Appends all events or none.
   *
   * @throws InvalidArgument if it cannot be asked for; nothing was sent
   * @throws AppendConflict if the stream is not at the expected revision
   * @throws AppendTooLarge if the encoded events exceed the limit; nothing was sent
   * @throws AppendRefused if the store said no and surely wrote nothing, for instance because its disk is full
   * @throws AccessDenied, StreamTombstoned if the store did not take it, and surely wrote nothing
   * @throws WaitExpired, WaitAborted if the wait ended before anything was sent, and nothing will be sent any more
   * @throws StoreUnavailable if the store could not be reached and surely nothing was written
   * @throws AppendOutcomeUnknown if the wait ended before the outcome was settled; only the same append may be repeated
   */
  append(
    stream: string,
    events: readonly NewEvent[],
    options: WaitOptions & { readonly expectedRevision: ExpectedRevision },
  ): Promise<AppendReceipt>;

  /**
   * Pages of a stream, none if it does not exist. The next page is fetched when it is asked for.
   *
   * @throws InvalidArgument at once if it cannot be asked for, RequestRefused if the store says so
   * @throws WaitExpired, WaitAborted if the wait for a page ended; StoreUnavailable if there was no store to ask
   * @throws AccessDenied, StreamTombstoned
   */
  readStream(stream: string, options?: ReadOptions): AsyncIterable<readonly RecordedEvent[]>;

  /**
   * History after `after` (all of it by default), then live, for ever: it outlives lost connections and silent servers. Each
   * iteration is a subscription of its own.
   *
   * @throws InvalidArgument at once if it cannot be asked for, RequestRefused if the store says so
   * @throws AccessDenied, StreamTombstoned
   */
  subscribeToStream(
    stream: string,
    options?: SubscribeOptions & { readonly after?: Revision },
  ): AsyncIterable<SubscriptionBatch>;

  /** The same over all streams whose names begin with one of the prefixes, in the store's order. */
  subscribeToStreams(
    prefixes: readonly string[],
    options?: SubscribeOptions & { readonly after?: Position },
  ): AsyncIterable<SubscriptionBatch>;

  streamLimits(stream: string, options?: WaitOptions): Promise<StreamLimits>;
  setStreamLimits(stream: string, limits: StreamLimits, options?: WaitOptions): Promise<void>;

  readiness(): Readiness;

  /** Ends subscriptions without an error and waits in flight with `EventStoreClosed`. Closing twice is fine. */
  close(): Promise<void>;
}
