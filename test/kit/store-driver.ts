import { randomUUID } from 'node:crypto';
import type { EventFilter } from '../../src/embedded-store/event-filter.js';
import type { ExpectedRevision } from '../../src/embedded-store/stored-event.js';
import type { JsonValue, NewEvent, Position, RecordedEvent } from '../../src/event-store/event-store.js';

/** The ways in which an append can reach a store. The official client has two. */
export type AppendPath = 'direct' | 'batch' | 'unary';

/** The official client can say no more when it deletes. */
export type DeleteExpectation = Exclude<ExpectedRevision, 'stream-exists'>;

export type Written =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: Position | undefined }
  | {
      readonly kind: 'conflict';
      readonly expected: ExpectedRevision;
      readonly actual: number | 'no-stream';
    }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'too-large'; readonly bytesMax: number };

export type Deleted =
  | { readonly kind: 'deleted-now'; readonly position: Position | undefined }
  | Exclude<Written, { kind: 'appended' }>;

export interface StreamReading {
  readonly direction?: 'forwards' | 'backwards';
  readonly from?: number | 'start' | 'end';
  readonly maxCount?: number;
}

export type StreamRead =
  | { readonly kind: 'events'; readonly events: readonly RecordedEvent[] }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'deleted' };

export interface AllReading {
  readonly direction: 'forwards' | 'backwards';
  readonly from: Position | 'start' | 'end';
  readonly maxCount: number;
}

export interface AllSubscribing {
  readonly after: Position | 'start' | 'end';
  readonly filter?: EventFilter;
  /** Events looked at from one checkpoint to the next. */
  readonly checkpointInterval?: number;
}

/** What a subscriber is told, in order. */
export type Told =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'checkpoint'; readonly position: Position }
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'fell-behind' };

export interface StoreSubscription {
  /** Waits for what is told next; whoever does not ask holds the store back. Rejects if the subscription failed. */
  next(): Promise<Told>;
  close(): Promise<void>;
}

/** One way to a store. The contract is told in these words, so that it can be asked of each. */
export interface StoreDriver {
  append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    path?: AppendPath,
  ): Promise<Written>;
  delete(stream: string, expected: DeleteExpectation): Promise<Deleted>;
  tombstone(stream: string, expected: DeleteExpectation): Promise<Deleted>;
  setMetadata(stream: string, metadata: { readonly [key: string]: JsonValue }): Promise<void>;
  readStream(stream: string, reading?: StreamReading): Promise<StreamRead>;
  readAll(reading: AllReading): Promise<readonly RecordedEvent[]>;
  /** All there is after the position that the filter wants. */
  readMatching(filter: EventFilter, after: Position): Promise<readonly RecordedEvent[]>;
  subscribeToStream(stream: string, after: number | 'start' | 'end'): StoreSubscription;
  subscribeToAll(subscribing: AllSubscribing): StoreSubscription;
  stop(): Promise<void>;
}

/** A name that no other test uses, whatever else is in the store. */
export const uniqueName = (prefix = 'stream'): string => `${prefix}-${randomUUID()}`;

export const newEvent = (event: Partial<NewEvent> = {}): NewEvent => ({
  id: randomUUID(),
  type: 'happened.v1',
  data: {},
  ...event,
});

export const newEvents = (count: number, event: Partial<NewEvent> = {}): readonly NewEvent[] =>
  Array.from({ length: count }, (_, at) => newEvent({ data: { at }, ...event }));

/** What a subscription has told so far. */
export class Tape {
  readonly told: Told[] = [];

  constructor(private readonly subscription: StoreSubscription) {}

  get events(): readonly RecordedEvent[] {
    return this.told.flatMap((each) => (each.kind === 'event' ? [each.event] : []));
  }

  get revisions(): readonly number[] {
    return this.events.map(({ revision }) => revision);
  }

  get ids(): readonly string[] {
    return this.events.map(({ id }) => id);
  }

  async until<T extends Told>(claim: (told: Told) => told is T): Promise<T>;
  async until(claim: (told: Told) => boolean): Promise<Told>;
  async until(claim: (told: Told) => boolean): Promise<Told> {
    for (;;) {
      const told = await this.subscription.next();
      this.told.push(told);
      if (claim(told)) return told;
    }
  }

  async untilKind(kind: Told['kind']): Promise<void> {
    await this.until((told) => told.kind === kind);
  }

  async untilCount(count: number): Promise<void> {
    while (this.events.length < count) await this.untilKind('event');
  }
}

/** Runs `test` on a subscription and ends it. */
export const following = async (
  subscription: StoreSubscription,
  test: (tape: Tape) => Promise<void>,
): Promise<void> => {
  try {
    await test(new Tape(subscription));
  } finally {
    await subscription.close();
  }
};

/** Of an append that the test relies on. */
export const positionOf = (written: Written): Position => {
  if (written.kind !== 'appended' || written.position === undefined) {
    throw new Error(`not appended: ${JSON.stringify(written, (_, value: unknown) => String(value))}`);
  }
  return written.position;
};

export const eventsOf = (read: StreamRead): readonly RecordedEvent[] => {
  if (read.kind !== 'events') throw new Error(`no events: ${read.kind}`);
  return read.events;
};

export const range = (count: number, from = 0): readonly number[] =>
  Array.from({ length: count }, (_, at) => from + at);
