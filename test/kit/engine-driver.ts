import { DataDirectory } from '../../src/embedded-store/data-directory.js';
import { Engine, type AppendOutcome } from '../../src/embedded-store/engine.js';
import { predicateOf, type EventFilter } from '../../src/embedded-store/event-filter.js';
import { followAll, followStream, type FollowItem } from '../../src/embedded-store/follow.js';
import {
  emptyBytes,
  tombstoneRevision,
  type ExpectedRevision,
  type ProposedEvent,
  type StoredEvent,
} from '../../src/embedded-store/stored-event.js';
import type {
  EventData,
  JsonValue,
  NewEvent,
  Position,
  RecordedEvent,
} from '../../src/event-store/event-store.js';
import {
  newEvent,
  type AllReading,
  type AllSubscribing,
  type Deleted,
  type DeleteExpectation,
  type StoreDriver,
  type StoreSubscription,
  type StreamRead,
  type StreamReading,
  type Told,
  type Written,
} from './store-driver.js';

/** The engine, asked directly. */
export class EngineDriver implements StoreDriver {
  private constructor(
    readonly engine: Engine,
    private readonly release: () => Promise<void>,
  ) {}

  /** On the log in the directory, which it holds until it is stopped. */
  static open(path: string, afterwards: () => Promise<void> = async () => undefined): EngineDriver {
    const directory = DataDirectory.acquire(path);
    const engine = new Engine(directory.openLog(), {
      now: Date.now,
      onLogFailure: (error) => {
        throw error;
      },
    });
    return new EngineDriver(engine, async () => {
      directory.release();
      await afterwards();
    });
  }

  async append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<Written> {
    const request = { stream, expectedRevision: expected, events: events.map(toProposed) };
    const outcome = await this.engine.append(request);
    return outcome.kind === 'appended'
      ? { kind: 'appended', revision: outcome.lastRevision, position: toPosition(outcome.position) }
      : toRefusal(outcome, expected);
  }

  async delete(stream: string, expected: DeleteExpectation): Promise<Deleted> {
    return toDeleted(await this.engine.delete({ stream, expectedRevision: expected }), expected);
  }

  async tombstone(stream: string, expected: DeleteExpectation): Promise<Deleted> {
    return toDeleted(await this.engine.tombstone({ stream, expectedRevision: expected }), expected);
  }

  async setMetadata(stream: string, metadata: { readonly [key: string]: JsonValue }): Promise<void> {
    await this.append(`$$${stream}`, [newEvent({ type: '$metadata', data: metadata })], 'any');
  }

  async readStream(stream: string, reading: StreamReading = {}): Promise<StreamRead> {
    const { direction = 'forwards', maxCount = Infinity } = reading;
    const events: RecordedEvent[] = [];
    let next: number | 'start' | 'end' | undefined =
      reading.from ?? (direction === 'forwards' ? 'start' : 'end');
    while (next !== undefined && events.length < maxCount) {
      const left = maxCount - events.length;
      const page = this.engine.readStream({ stream, direction, from: next, maxCount: left });
      if (page.kind === 'not-found') return page;
      if (page.kind === 'tombstoned') return { kind: 'deleted' };
      events.push(...page.events.map(toRecordedEvent));
      next = page.next;
    }
    return { kind: 'events', events };
  }

  async readAll({ direction, from, maxCount }: AllReading): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    let next: number | 'start' | 'end' | undefined = toNumber(from);
    while (next !== undefined && events.length < maxCount) {
      const page = this.engine.readAll({ direction, from: next, maxCount: maxCount - events.length });
      events.push(...page.events.map(toRecordedEvent));
      next = page.next;
    }
    return events;
  }

  async readMatching(filter: EventFilter, after: Position): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    const matches = predicateOf(filter);
    let next: number | undefined = Number(after) + 1;
    while (next !== undefined) {
      const page = this.engine.readAll({ direction: 'forwards', from: next, maxCount: Infinity, matches });
      events.push(...page.events.map(toRecordedEvent));
      next = page.next;
    }
    return events;
  }

  subscribeToStream(stream: string, after: number | 'start' | 'end'): StoreSubscription {
    return subscriptionOf((signal) => followStream(this.engine, stream, after, signal));
  }

  subscribeToAll({ after, filter, checkpointInterval = 32 }: AllSubscribing): StoreSubscription {
    const options = {
      after: toNumber(after),
      ...(filter && { matches: predicateOf(filter), checkpointInterval }),
    };
    return subscriptionOf((signal) => followAll(this.engine, options, signal));
  }

  async stop(): Promise<void> {
    await this.engine.close();
    await this.release();
  }
}

const toNumber = (position: Position | 'start' | 'end'): number | 'start' | 'end' =>
  typeof position === 'bigint' ? Number(position) : position;

const toPosition = (position: number | undefined): Position | undefined =>
  position === undefined ? undefined : BigInt(position);

function toRefusal(outcome: Exclude<AppendOutcome, { kind: 'appended' }>, expected: ExpectedRevision) {
  switch (outcome.kind) {
    case 'conflict':
      return { kind: 'conflict', expected, actual: outcome.actualRevision ?? 'no-stream' } as const;
    case 'tombstoned':
      return { kind: 'deleted' } as const;
    case 'too-large':
      return outcome;
  }
}

const toDeleted = (outcome: AppendOutcome, expected: ExpectedRevision): Deleted =>
  outcome.kind === 'appended'
    ? { kind: 'deleted-now', position: toPosition(outcome.position) }
    : toRefusal(outcome, expected);

const toBytes = (data: EventData | undefined): Uint8Array => {
  if (data === undefined) return emptyBytes;
  return data instanceof Uint8Array ? data : Buffer.from(JSON.stringify(data));
};

export const toProposed = ({ id, type, data, metadata }: NewEvent): ProposedEvent => ({
  id,
  type,
  isJson: !(data instanceof Uint8Array),
  data: toBytes(data),
  metadata: toBytes(metadata),
});

const parsed = (bytes: Uint8Array): JsonValue => JSON.parse(Buffer.from(bytes).toString()) as JsonValue;

/** Metadata has no content type: bytes that read as JSON are JSON. */
const toMetadata = (bytes: Uint8Array): EventData => {
  try {
    return parsed(bytes);
  } catch {
    return new Uint8Array(bytes);
  }
};

export const toRecordedEvent = (event: StoredEvent): RecordedEvent => ({
  stream: event.stream,
  revision: event.revision === tombstoneRevision ? Number.MAX_SAFE_INTEGER : event.revision,
  position: BigInt(event.position),
  id: event.id,
  type: event.type,
  data: event.isJson ? parsed(event.data) : new Uint8Array(event.data),
  createdAt: event.createdAt,
  ...(event.metadata.byteLength > 0 && { metadata: toMetadata(event.metadata) }),
});

function subscriptionOf(follow: (signal: AbortSignal) => AsyncGenerator<FollowItem>): StoreSubscription {
  const closing = new AbortController();
  const told = flat(follow(closing.signal));
  return {
    next: async () => {
      const { done, value } = await told.next();
      if (done === true) throw new Error('the subscription ended');
      return value;
    },
    close: async () => {
      closing.abort();
      await told.return(undefined);
    },
  };
}

async function* flat(items: AsyncIterable<FollowItem>): AsyncGenerator<Told, undefined> {
  for await (const item of items) {
    if (item.kind === 'events') {
      for (const event of item.events) yield { kind: 'event', event: toRecordedEvent(event) };
    } else if (item.kind === 'checkpoint') yield { kind: 'checkpoint', position: BigInt(item.position) };
    else yield item;
  }
  return undefined;
}
