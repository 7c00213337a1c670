import {
  EventStoreDBClient,
  eventTypeFilter,
  streamNameFilter,
  type AppendExpectedRevision,
  type BaseOptions,
  type ExpectedRevision as ClientDeleteExpectation,
} from '@eventstore/db-client';
import type { Readable } from 'node:stream';
import type { EventFilter } from '../../src/embedded-store/event-filter.js';
import type { ExpectedRevision } from '../../src/embedded-store/stored-event.js';
import { toClientEvent, toRecordedEvent, type ClientResolved } from '../../src/event-store/client-events.js';
import type { JsonValue, NewEvent, Position, RecordedEvent } from '../../src/event-store/event-store.js';
import type {
  AllReading,
  AllSubscribing,
  AppendPath,
  Deleted,
  DeleteExpectation,
  StoreDriver,
  StoreSubscription,
  StreamRead,
  StreamReading,
  Told,
  Written,
} from './store-driver.js';

/** Given per call they switch to the unary append; a store without TLS ignores them otherwise. */
const credentials = { username: 'admin', password: 'changeit' };

/** A store, asked by the official client. */
export class ClientDriver implements StoreDriver {
  private constructor(
    private readonly client: EventStoreDBClient,
    private readonly afterwards: () => Promise<void>,
  ) {}

  static connect(
    connectionString: string,
    afterwards: () => Promise<void> = async () => undefined,
  ): ClientDriver {
    return new ClientDriver(EventStoreDBClient.connectionString(connectionString), afterwards);
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    path: AppendPath = 'batch',
  ): Promise<Written> {
    const options: BaseOptions = path === 'unary' ? { credentials } : {};
    const clientEvents = events.map(({ metadata, ...event }) =>
      toClientEvent({ ...event, ...(metadata !== undefined && { metadata: metadata as Uint8Array }) }),
    );
    try {
      const { nextExpectedRevision, position } = await this.client.appendToStream(stream, clientEvents, {
        ...options,
        expectedRevision: toClientExpected(expected),
      });
      return { kind: 'appended', revision: Number(nextExpectedRevision), position: position?.commit };
    } catch (error) {
      return toRefusal(error);
    }
  }

  async delete(stream: string, expected: DeleteExpectation): Promise<Deleted> {
    try {
      const options = { expectedRevision: toClientExpected(expected) as ClientDeleteExpectation };
      const { position } = await this.client.deleteStream(stream, options);
      return { kind: 'deleted-now', position: position?.commit };
    } catch (error) {
      return { ...toRefusal(error), ...(isConflict(error) && { expected }) };
    }
  }

  async tombstone(stream: string, expected: DeleteExpectation): Promise<Deleted> {
    try {
      const options = { expectedRevision: toClientExpected(expected) as ClientDeleteExpectation };
      const { position } = await this.client.tombstoneStream(stream, options);
      return { kind: 'deleted-now', position: position?.commit };
    } catch (error) {
      return { ...toRefusal(error), ...(isConflict(error) && { expected }) };
    }
  }

  async setMetadata(stream: string, metadata: { readonly [key: string]: JsonValue }): Promise<void> {
    const type = '$metadata';
    await this.append(`$$${stream}`, [{ id: crypto.randomUUID(), type, data: metadata }], 'any');
  }

  async readStream(stream: string, reading: StreamReading = {}): Promise<StreamRead> {
    const { direction = 'forwards', maxCount = Number.MAX_SAFE_INTEGER } = reading;
    const from = reading.from ?? (direction === 'forwards' ? 'start' : 'end');
    const fromRevision = typeof from === 'number' ? BigInt(from) : from;
    try {
      const read = this.client.readStream(stream, { direction, fromRevision, maxCount });
      return { kind: 'events', events: await collected(read) };
    } catch (error) {
      const { type } = error as ClientFailure;
      if (type === 'stream-not-found') return { kind: 'not-found' };
      if (type === 'stream-deleted') return { kind: 'deleted' };
      throw error;
    }
  }

  async readAll({ direction, from, maxCount }: AllReading): Promise<readonly RecordedEvent[]> {
    return collected(this.client.readAll({ direction, fromPosition: toClientPosition(from), maxCount }));
  }

  /** This client's reads have no filter, so it is a subscription up to where it has caught up. */
  async readMatching(filter: EventFilter, after: Position): Promise<readonly RecordedEvent[]> {
    const subscription = this.subscribeToAll({ after, filter });
    try {
      const events: RecordedEvent[] = [];
      for (
        let told = await subscription.next();
        told.kind !== 'caught-up';
        told = await subscription.next()
      ) {
        if (told.kind === 'event') events.push(told.event);
      }
      return events;
    } finally {
      await subscription.close();
    }
  }

  subscribeToStream(stream: string, after: number | 'start' | 'end'): StoreSubscription {
    const fromRevision = typeof after === 'number' ? BigInt(after) : after;
    return new ClientSubscription(this.client.subscribeToStream(stream, { fromRevision }));
  }

  subscribeToAll({ after, filter, checkpointInterval = 32 }: AllSubscribing): StoreSubscription {
    const fromPosition = toClientPosition(after);
    if (!filter) return new ClientSubscription(this.client.subscribeToAll({ fromPosition }));
    const create = filter.on === 'stream' ? streamNameFilter : eventTypeFilter;
    const options = {
      maxSearchWindow: checkpointInterval,
      checkpointInterval: 1,
      checkpointReached: (subscription: unknown, { commit }: { commit: bigint }) => {
        ClientSubscription.mark(subscription as Readable, { kind: 'checkpoint', position: commit });
      },
    };
    const clientFilter =
      filter.regex === undefined
        ? create({ ...options, prefixes: [...(filter.prefixes ?? [])] })
        : create({ ...options, regex: filter.regex });
    return new ClientSubscription(this.client.subscribeToAll({ fromPosition, filter: clientFilter }));
  }

  async stop(): Promise<void> {
    await this.client.dispose();
    await this.afterwards();
  }
}

/** The client's errors, by what they carry. */
interface ClientFailure {
  readonly type?: string;
  readonly actualVersion?: bigint | 'no_stream';
  readonly expectedVersion?: bigint | string;
  readonly maxAppendSize?: number;
}

const isConflict = (error: unknown): boolean => (error as ClientFailure).type === 'wrong-expected-version';

function toRefusal(error: unknown): Exclude<Written, { kind: 'appended' }> {
  const { type, actualVersion, expectedVersion, maxAppendSize } = error as ClientFailure;
  if (type === 'wrong-expected-version') {
    const actual = typeof actualVersion === 'bigint' ? Number(actualVersion) : 'no-stream';
    return { kind: 'conflict', expected: toExpected(expectedVersion), actual };
  }
  if (type === 'stream-deleted') return { kind: 'deleted' };
  if (type === 'maximum-append-size-exceeded') return { kind: 'too-large', bytesMax: Number(maxAppendSize) };
  throw error;
}

const toExpected = (expected: bigint | string | undefined): ExpectedRevision =>
  typeof expected === 'bigint' ? Number(expected) : (expected?.replace('_', '-') as ExpectedRevision);

const toClientExpected = (expected: ExpectedRevision): AppendExpectedRevision =>
  typeof expected === 'number' ? BigInt(expected) : (expected.replace('-', '_') as AppendExpectedRevision);

const toClientPosition = (position: Position | 'start' | 'end') =>
  typeof position === 'bigint' ? { commit: position, prepare: position } : position;

async function collected(read: AsyncIterable<unknown>): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const resolved of read) events.push(toRecordedEvent(resolved as ClientResolved));
  return events;
}

class Mark {
  constructor(readonly told: Told) {}
}

/**
 * The client tells having caught up, and checkpoints, by events that overtake what is in its buffer. Here they are put into that
 * buffer, in their place.
 */
class ClientSubscription implements StoreSubscription {
  private readonly subscription: Readable & { unsubscribe(): Promise<void> };
  private readonly chunks: AsyncIterator<unknown>;

  constructor(subscription: unknown) {
    const readable = subscription as Readable & { unsubscribe(): Promise<void> };
    this.subscription = readable;
    readable.on('caughtUp', () => ClientSubscription.mark(readable, { kind: 'caught-up' }));
    readable.on('fellBehind', () => ClientSubscription.mark(readable, { kind: 'fell-behind' }));
    // An error that comes after the end would otherwise end the process.
    readable.on('error', () => undefined);
    this.chunks = readable[Symbol.asyncIterator]();
  }

  static mark(subscription: Readable, told: Told): void {
    subscription.push(new Mark(told));
  }

  async next(): Promise<Told> {
    const { done, value } = (await this.chunks.next()) as IteratorResult<unknown, unknown>;
    if (done === true) throw new Error('the subscription ended');
    return value instanceof Mark
      ? value.told
      : { kind: 'event', event: toRecordedEvent(value as ClientResolved) };
  }

  async close(): Promise<void> {
    await this.subscription.unsubscribe();
    this.subscription.destroy();
  }
}
