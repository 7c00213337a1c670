import { randomUUID } from 'node:crypto';
import type { AppendOutcome, Engine } from '../../src/embedded-store/engine.js';
import { InvalidRequest, WriteRefused } from '../../src/embedded-store/errors.js';
import type { StoredEvent } from '../../src/embedded-store/stored-event.js';
import {
  checkPrefixesSubscription,
  checkStreamLimits,
  checkStreamName,
  checkStreamSubscription,
} from '../../src/event-store/arguments.js';
import {
  AppendConflict,
  AppendOutcomeUnknown,
  AppendRefused,
  AppendTooLarge,
  EventStoreClosed,
  StreamTombstoned,
  WaitAborted,
  WaitExpired,
  type EventStoreError,
} from '../../src/event-store/errors.js';
import type {
  AppendReceipt,
  EventStore,
  ExpectedRevision,
  NewEvent,
  Position,
  Readiness,
  ReadOptions,
  RecordedEvent,
  Revision,
  StreamLimits,
  SubscribeOptions,
  SubscriptionBatch,
  SubscriptionLag,
  WaitOptions,
} from '../../src/event-store/event-store.js';
import { appendBytesMaxByDefault, prepareAppend } from '../../src/event-store/prepared-append.js';
import { readPages } from '../../src/event-store/read-pages.js';
import { ReadinessRecord, type LagSource } from '../../src/event-store/readiness.js';
import { abortable, Scope, scopeOfCall } from '../../src/event-store/scope.js';
import type { PageRequest } from '../../src/event-store/session.js';
import {
  limitsIn,
  metadataEventType,
  metadataStreamOf,
  withLimits,
} from '../../src/event-store/stream-metadata.js';
import { systemTiming, type Timing } from '../../src/event-store/timing.js';
import { toProposed, toRecordedEvent } from './engine-driver.js';

export interface InProcessOptions {
  readonly timing?: Timing;
  /** Limit of a call that states none, in milliseconds. @default 15_000 */
  readonly timeoutMs?: number;
  /** How many events a subscription hands over at once, at most. @default 256 */
  readonly batchCountMax?: number;
}

/** Events that are looked at from one checkpoint to the next. */
const checkpointInterval = 256;

/**
 * The port on an engine in the same process: the twin of `EventStoreClient`, without a network between. Several may share one
 * engine; whoever made the engine closes it.
 */
export class InProcessEventStore implements EventStore {
  readonly #engine: Engine;
  readonly #timing: Timing;
  readonly #timeoutMs: number;
  readonly #batchCountMax: number;
  readonly #closing = new AbortController();
  readonly #readiness: ReadinessRecord;

  constructor(engine: Engine, options: InProcessOptions = {}) {
    this.#engine = engine;
    this.#timing = options.timing ?? systemTiming;
    this.#timeoutMs = options.timeoutMs ?? 15_000;
    this.#batchCountMax = options.batchCountMax ?? 256;
    this.#readiness = new ReadinessRecord({ successMaxAgeMs: 15_000, lagMaxMs: 10_000 }, this.#timing.now);
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    options: WaitOptions & { readonly expectedRevision: ExpectedRevision },
  ): Promise<AppendReceipt> {
    const { expectedRevision } = options;
    const append = prepareAppend(stream, events, expectedRevision, appendBytesMaxByDefault);
    return this.#within(options, async (signal) => {
      signal.throwIfAborted();
      const request = { stream, expectedRevision, events: append.events.map(toProposed) };
      const outcome = await this.#settled(this.#engine.append(request), stream, expectedRevision, signal);
      return receiptOf(outcome, stream, expectedRevision);
    });
  }

  readStream(stream: string, options: ReadOptions = {}): AsyncIterable<readonly RecordedEvent[]> {
    return readPages(stream, options, (request) =>
      this.#within(options, async (signal) => {
        // Even here a page takes a turn, in which the wait for it can end.
        await Promise.resolve();
        signal.throwIfAborted();
        return this.#page(request);
      }),
    );
  }

  subscribeToStream(
    stream: string,
    options: SubscribeOptions & { readonly after?: Revision } = {},
  ): AsyncIterable<SubscriptionBatch> {
    checkStreamSubscription(stream, options.after);
    return this.#follow(
      { name: stream, ...options },
      () => new StreamPlace(this.#engine, stream, options.after),
    );
  }

  subscribeToStreams(
    prefixes: readonly string[],
    options: SubscribeOptions & { readonly after?: Position } = {},
  ): AsyncIterable<SubscriptionBatch> {
    checkPrefixesSubscription(prefixes, options.after);
    const name = prefixes.join(', ');
    return this.#follow({ name, ...options }, () => new LogPlace(this.#engine, prefixes, options.after));
  }

  async streamLimits(stream: string, options: WaitOptions = {}): Promise<StreamLimits> {
    checkStreamName(stream);
    return this.#within(options, async (signal) => {
      signal.throwIfAborted();
      return limitsIn(this.#last(metadataStreamOf(stream)));
    });
  }

  async setStreamLimits(stream: string, limits: StreamLimits, options: WaitOptions = {}): Promise<void> {
    checkStreamLimits(stream, limits);
    const metadataStream = metadataStreamOf(stream);
    for (;;) {
      const before = this.#last(metadataStream);
      const event = { id: randomUUID(), type: metadataEventType, data: withLimits(before, limits) };
      const expectedRevision = before?.revision ?? 'no-stream';
      try {
        await this.append(metadataStream, [event], { ...options, expectedRevision });
        return;
      } catch (error) {
        if (!(error instanceof AppendConflict)) throw error;
      }
    }
  }

  readiness(): Readiness {
    return this.#readiness.judge();
  }

  async close(): Promise<void> {
    this.#closing.abort(new EventStoreClosed('the event store is closed'));
  }

  async #within<T>(options: WaitOptions, action: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const parents = [this.#closing.signal];
    const scope = scopeOfCall(this.#timing, options, { timeoutMs: this.#timeoutMs, parents });
    try {
      const result = await action(scope.signal);
      this.#readiness.noteSuccess();
      return result;
    } finally {
      scope.end();
    }
  }

  /** Once the engine has an append, nobody can take it back: a wait that ends before it is written leaves it open. */
  async #settled(
    outcome: Promise<AppendOutcome>,
    stream: string,
    expected: ExpectedRevision,
    signal: AbortSignal,
  ): Promise<AppendOutcome> {
    try {
      return await abortable(outcome, signal);
    } catch (error) {
      if (error instanceof WaitExpired || error instanceof WaitAborted) {
        throw new AppendOutcomeUnknown(stream, expected, { cause: error });
      }
      if (error instanceof WriteRefused || error instanceof InvalidRequest) {
        throw new AppendRefused(error.message, { cause: error });
      }
      throw error;
    }
  }

  /** The engine's pages end where they would be too large; the port's have as many events as were asked for. */
  #page({ stream, direction, from, maxCount }: PageRequest): readonly RecordedEvent[] {
    const events: StoredEvent[] = [];
    let next: Revision | 'start' | 'end' | undefined = from;
    while (next !== undefined && events.length < maxCount) {
      const page = this.#engine.readStream({
        stream,
        direction,
        from: next,
        maxCount: maxCount - events.length,
      });
      if (page.kind === 'tombstoned') throw new StreamTombstoned(stream);
      if (page.kind === 'not-found') return [];
      events.push(...page.events);
      next = page.next;
    }
    return events.map(toRecordedEvent);
  }

  #last(stream: string): RecordedEvent | undefined {
    const last = { direction: 'backwards', from: 'end', maxCount: 1, requiresLeader: false } as const;
    return this.#page({ stream, ...last })[0];
  }

  #follow(
    options: SubscribeOptions & { readonly name: string },
    begin: () => Place,
  ): AsyncIterable<SubscriptionBatch> {
    return {
      [Symbol.asyncIterator]: () => {
        const scope = new Scope(this.#timing, {
          parents: [this.#closing.signal],
          caller: options.signal,
        });
        const lag = new Lag(options.name, this.#timing.now);
        this.#readiness.add(lag);
        const end = (): void => {
          this.#readiness.remove(lag);
          scope.end();
        };
        const batches = this.#batches(begin(), lag, scope.signal, end);
        return {
          next: () => batches.next(),
          // A generator that waits hears of `return` only when its wait is over, so the wait is ended first.
          return: async () => {
            scope.abort(new WaitAborted('the iteration was left'));
            await batches.return();
            end();
            return { done: true, value: undefined };
          },
        };
      },
    };
  }

  async *#batches(
    place: Place,
    lag: Lag,
    signal: AbortSignal,
    end: () => void,
  ): AsyncGenerator<SubscriptionBatch, void, void> {
    let wasCaughtUp = false;
    try {
      while (!signal.aborted) {
        const { events, isLast, hasCheckpoint } = place.read(this.#batchCountMax);
        lag.note(isLast);
        if (events.length > 0 || isLast !== wasCaughtUp || hasCheckpoint) {
          wasCaughtUp = isLast;
          const { checkpoint } = place;
          yield {
            events: events.map(toRecordedEvent),
            isCaughtUp: isLast,
            ...(checkpoint !== undefined && { checkpoint }),
          };
        } else if (isLast && !(await this.#engine.pulse.next(signal))) return;
      }
    } finally {
      end();
    }
  }
}

const receiptOf = (outcome: AppendOutcome, stream: string, expected: ExpectedRevision): AppendReceipt => {
  if (outcome.kind !== 'appended') throw errorOf(outcome, stream, expected);
  const { lastRevision, position = 0 } = outcome;
  return { revision: lastRevision, position: BigInt(position), wasAcknowledgedAtFirstSending: true };
};

const errorOf = (
  outcome: Exclude<AppendOutcome, { kind: 'appended' }>,
  stream: string,
  expected: ExpectedRevision,
): EventStoreError => {
  switch (outcome.kind) {
    case 'conflict':
      return new AppendConflict({ stream, expected, actual: outcome.actualRevision ?? 'no-stream' });
    case 'tombstoned':
      return new StreamTombstoned(stream);
    case 'too-large':
      return new AppendTooLarge(outcome);
  }
};

interface Reading {
  readonly events: readonly StoredEvent[];
  /** Nothing more stands now. */
  readonly isLast: boolean;
  /** So much was looked at and left out that the place is worth telling. */
  readonly hasCheckpoint: boolean;
}

/** How far a subscription is. It holds no events, so whoever reads slowly holds up nobody. */
interface Place {
  read(maxCount: number): Reading;
  readonly checkpoint: Position | undefined;
}

class StreamPlace implements Place {
  readonly checkpoint = undefined;
  readonly #engine: Engine;
  readonly #stream: string;
  #next: Revision;

  constructor(engine: Engine, stream: string, after: Revision | undefined) {
    this.#engine = engine;
    this.#stream = stream;
    this.#next = after === undefined ? 0 : after + 1;
  }

  read(maxCount: number): Reading {
    const page = this.#engine.readStream({
      stream: this.#stream,
      direction: 'forwards',
      from: this.#next,
      maxCount,
    });
    if (page.kind === 'tombstoned') throw new StreamTombstoned(this.#stream);
    if (page.kind === 'not-found') return { events: [], isLast: true, hasCheckpoint: false };
    const last = page.events.at(-1);
    this.#next = page.next ?? (last ? last.revision + 1 : this.#next);
    return { events: page.events, isLast: page.next === undefined, hasCheckpoint: false };
  }
}

class LogPlace implements Place {
  readonly #engine: Engine;
  readonly #matches: (event: StoredEvent) => boolean;
  #next: number;
  #leftOutCount = 0;

  constructor(engine: Engine, prefixes: readonly string[], after: Position | undefined) {
    this.#engine = engine;
    this.#matches = ({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix));
    this.#next = after === undefined ? 0 : Number(after) + 1;
  }

  get checkpoint(): Position | undefined {
    return this.#next === 0 ? undefined : BigInt(this.#next - 1);
  }

  read(maxCount: number): Reading {
    const from = this.#next;
    const page = this.#engine.readAll({ direction: 'forwards', from, maxCount, matches: this.#matches });
    if (page.considered !== undefined) this.#next = page.considered + 1;
    this.#leftOutCount = page.events.length > 0 ? 0 : this.#leftOutCount + this.#next - from;
    const hasCheckpoint = this.#leftOutCount >= checkpointInterval;
    if (hasCheckpoint) this.#leftOutCount = 0;
    return { events: page.events, isLast: page.next === undefined, hasCheckpoint };
  }
}

/** Behind from its beginning, until it has read everything; then again as soon as it is found to have not. */
class Lag implements LagSource {
  readonly #name: string;
  readonly #now: () => number;
  #behindSince: number | undefined;

  constructor(name: string, now: () => number) {
    this.#name = name;
    this.#now = now;
    this.#behindSince = now();
  }

  note(isCaughtUp: boolean): void {
    this.#behindSince = isCaughtUp ? undefined : (this.#behindSince ?? this.#now());
  }

  lag(now: number): SubscriptionLag {
    const since = this.#behindSince;
    const name = this.#name;
    return since === undefined
      ? { name, isCaughtUp: true, behindMs: 0 }
      : { name, isCaughtUp: false, behindMs: now - since };
  }
}
