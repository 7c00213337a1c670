import { expect, test } from '@jest/globals';
import type { EventStore, ReadOptions, SubscriptionBatch } from '../../src/event-store/event-store.js';
import { systemTiming, type Timing } from '../../src/event-store/timing.js';
import { describeEventStore } from '../kit/describe-event-store.js';
import { readAll } from '../kit/fake-store-client.js';
import { newEvent, newEvents, range, uniqueName } from '../kit/store-driver.js';
import { SubscriptionReader } from '../kit/subscription-reader.js';

const revisionsIn = async (store: EventStore, stream: string, options: ReadOptions = {}) =>
  (await readAll(store.readStream(stream, options))).map(({ revision }) => revision);

const withHistory = async (store: EventStore, count: number, stream = uniqueName()): Promise<string> => {
  await store.append(stream, newEvents(count), { expectedRevision: 'no-stream' });
  return stream;
};

const nameOf = (error: unknown): string => (error as Error).name;

/** Follows a subscription and leaves it. */
const reading = async (
  subscription: AsyncIterable<SubscriptionBatch>,
  action: (reader: SubscriptionReader) => Promise<void>,
): Promise<void> => {
  const reader = new SubscriptionReader(subscription);
  try {
    await action(reader);
  } finally {
    await reader.leave();
  }
};

describeEventStore('appending', (access) => {
  test('tells the revision and the position of the last event, and that it was acknowledged', async () => {
    const store = access.connect();
    const stream = uniqueName();
    const first = await store.append(stream, newEvents(2), { expectedRevision: 'no-stream' });
    const second = await store.append(stream, newEvents(1), { expectedRevision: 1 });
    expect([first, second]).toEqual([
      { revision: 1, position: expect.any(BigInt) as unknown, wasAcknowledgedAtFirstSending: true },
      { revision: 2, position: expect.any(BigInt) as unknown, wasAcknowledgedAtFirstSending: true },
    ]);
    const positions = (await readAll(store.readStream(stream))).map(({ position }) => position);
    expect(positions.slice(1)).toEqual([first.position, second.position]);
  });

  test('anywhere takes the stream as it is', async () => {
    const store = access.connect();
    const stream = uniqueName();
    for (const revision of [0, 1])
      expect(await store.append(stream, newEvents(1), { expectedRevision: 'any' })).toMatchObject({
        revision,
      });
  });

  test.each([
    ['no stream, where there is one', 'no-stream', 2, 1],
    ['an earlier revision', 0, 2, 1],
    ['a later revision', 4, 2, 1],
    ['a revision, where there is no stream', 0, 0, 'no-stream'],
  ] as const)(
    'at %s is a conflict that says where the stream is',
    async (_, expectedRevision, count, actual) => {
      const store = access.connect();
      const stream = count === 0 ? uniqueName() : await withHistory(store, count);
      await expect(store.append(stream, newEvents(3), { expectedRevision })).rejects.toMatchObject({
        name: 'AppendConflict',
        stream,
        expected: expectedRevision,
        actual,
        mayRetry: false,
      });
      expect(await revisionsIn(store, stream)).toEqual(range(count));
    },
  );

  test('the same ids at the same revision once more appends once', async () => {
    const store = access.connect();
    const stream = uniqueName();
    const events = newEvents(2);
    const first = await store.append(stream, events, { expectedRevision: 'no-stream' });
    expect(await store.append(stream, events, { expectedRevision: 'no-stream' })).toEqual(first);
    expect(await revisionsIn(store, stream)).toEqual([0, 1]);
  });

  test('by many at one revision lets exactly one win', async () => {
    const stores = [access.connect(), access.connect()];
    const [first] = stores;
    if (!first) throw new Error('not connected');
    const stream = await withHistory(first, 1);
    const outcomes = await Promise.allSettled(
      range(20).map((at) => (stores[at % 2] ?? first).append(stream, newEvents(2), { expectedRevision: 0 })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await revisionsIn(first, stream)).toEqual([0, 1, 2]);
  });

  test('at the same time keeps the order of the calls', async () => {
    const store = access.connect();
    const stream = uniqueName();
    const events = newEvents(50);
    await Promise.all(events.map((event) => store.append(stream, [event], { expectedRevision: 'any' })));
    const read = await readAll(store.readStream(stream));
    expect(read.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  });

  test('keeps JSON, bytes and metadata as they are', async () => {
    const store = access.connect();
    const stream = uniqueName();
    const given = [
      newEvent({ data: { text: 'ü🚀', list: [1, null] }, metadata: { causedBy: 'x' } }),
      newEvent({ data: Uint8Array.from(range(256)), metadata: Uint8Array.from([255, 0]) }),
      newEvent({ data: null }),
    ];
    await store.append(stream, given, { expectedRevision: 'no-stream' });
    const read = await readAll(store.readStream(stream));
    expect(read).toEqual(
      given.map((event, revision) => ({
        ...event,
        stream,
        revision,
        position: expect.any(BigInt),
        createdAt: expect.any(Number),
      })),
    );
  });

  test('more than the limit is refused and nothing is written', async () => {
    const store = access.connect();
    const stream = uniqueName();
    const events = newEvents(2, { data: new Uint8Array(600_000) });
    await expect(store.append(stream, events, { expectedRevision: 'any' })).rejects.toMatchObject({
      name: 'AppendTooLarge',
    });
    expect(await revisionsIn(store, stream)).toEqual([]);
  });

  test('no events is a mistake of the caller', async () => {
    const appending = access.connect().append(uniqueName(), [], { expectedRevision: 'any' });
    await expect(appending).rejects.toMatchObject({ name: 'RangeError' });
  });

  test('an id that is no UUID is refused', async () => {
    const appending = access
      .connect()
      .append(uniqueName(), [newEvent({ id: 'x' })], { expectedRevision: 'any' });
    await expect(appending).rejects.toMatchObject({
      name: 'InvalidArgument',
      argument: 'the id of an event',
    });
  });

  test('to a stream that was ended for good is refused', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 1);
    await access.driver.tombstone(stream, 'any');
    await expect(store.append(stream, newEvents(1), { expectedRevision: 0 })).rejects.toMatchObject({
      name: 'StreamTombstoned',
      stream,
    });
  });
});

describeEventStore('reading', (access) => {
  test.each<[string, ReadOptions, readonly (readonly number[])[]]>([
    ['all in one page', {}, [[0, 1, 2, 3, 4, 5]]],
    [
      'in pages',
      { pageSize: 4 },
      [
        [0, 1, 2, 3],
        [4, 5],
      ],
    ],
    [
      'in full pages, without an empty one',
      { pageSize: 3 },
      [
        [0, 1, 2],
        [3, 4, 5],
      ],
    ],
    ['from a revision', { from: 3, pageSize: 2 }, [[3, 4], [5]]],
    ['from beyond the end', { from: 6 }, []],
    [
      'up to a count',
      { maxCount: 5, pageSize: 3 },
      [
        [0, 1, 2],
        [3, 4],
      ],
    ],
    [
      'backwards',
      { direction: 'backwards', pageSize: 4 },
      [
        [5, 4, 3, 2],
        [1, 0],
      ],
    ],
    ['backwards from a revision', { direction: 'backwards', from: 2, pageSize: 2 }, [[2, 1], [0]]],
    ['backwards up to a count', { direction: 'backwards', maxCount: 1 }, [[5]]],
  ])('goes %s', async (_, options, expected) => {
    const store = access.connect();
    const stream = await withHistory(store, 6);
    const pages: (readonly number[])[] = [];
    for await (const page of store.readStream(stream, options))
      pages.push(page.map(({ revision }) => revision));
    expect(pages).toEqual(expected);
  });

  test('finds nothing in a stream that does not exist', async () => {
    expect(await readAll(access.connect().readStream(uniqueName()))).toEqual([]);
  });

  test('sees what was appended between two pages', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 2);
    const pages = store.readStream(stream, { pageSize: 2 })[Symbol.asyncIterator]();
    await pages.next();
    await store.append(stream, newEvents(1), { expectedRevision: 1 });
    const { value } = (await pages.next()) as { value: { revision: number }[] };
    expect(value.map(({ revision }) => revision)).toEqual([2]);
  });

  test('fills its pages also where events are large', async () => {
    const store = access.connect();
    const stream = uniqueName();
    for (let at = 0; at < 5; at += 1)
      await store.append(stream, [newEvent({ data: new Uint8Array(900_000) })], { expectedRevision: 'any' });
    for await (const page of store.readStream(stream)) expect(page).toHaveLength(5);
  });

  test('a stream that was ended for good fails', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 1);
    await access.driver.tombstone(stream, 'any');
    await expect(readAll(store.readStream(stream))).rejects.toMatchObject({ name: 'StreamTombstoned' });
  });
});

describeEventStore('subscribing', (access) => {
  test('to a stream hands over history, says that it has caught up, and goes on live', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 3);
    await reading(store.subscribeToStream(stream), async (reader) => {
      await reader.untilCaughtUp();
      expect(reader.revisions).toEqual([0, 1, 2]);
      await store.append(stream, newEvents(2), { expectedRevision: 2 });
      await reader.untilCount(5);
      expect(reader.revisions).toEqual([0, 1, 2, 3, 4]);
      expect(reader.batches.map(({ checkpoint }) => checkpoint)).toEqual(reader.batches.map(() => undefined));
    });
  });

  test('to a stream resumes after a revision', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 4);
    await reading(store.subscribeToStream(stream, { after: 1 }), async (reader) => {
      await reader.untilCaughtUp();
      expect(reader.revisions).toEqual([2, 3]);
    });
  });

  test('to a stream that does not exist yet waits for it', async () => {
    const store = access.connect();
    const stream = uniqueName();
    await reading(store.subscribeToStream(stream), async (reader) => {
      expect(await reader.untilCaughtUp()).toEqual({ events: [], isCaughtUp: true });
      await withHistory(store, 1, stream);
      await reader.untilCount(1);
    });
  });

  test('by prefixes hands over events of all such streams in the order of the store', async () => {
    const store = access.connect();
    const [one, other] = [uniqueName('one'), uniqueName('other')];
    await withHistory(store, 1, `${one}-a`);
    await withHistory(store, 1, `not-${one}`);
    await withHistory(store, 1, `${other}-a`);
    await reading(store.subscribeToStreams([one, other]), async (reader) => {
      await reader.untilCaughtUp();
      await withHistory(store, 2, `${one}-b`);
      await reader.untilCount(4);
      const streams = [`${one}-a`, `${other}-a`, `${one}-b`, `${one}-b`];
      expect(reader.events.map(({ stream }) => stream)).toEqual(streams);
    });
  });

  test('by prefixes resumes after a checkpoint without gap or repetition', async () => {
    const store = access.connect();
    const prefix = uniqueName();
    await withHistory(store, 3, `${prefix}-a`);
    let after = 0n;
    await reading(store.subscribeToStreams([prefix]), async (reader) => {
      const { checkpoint = -1n } = await reader.untilCaughtUp();
      expect(checkpoint).toBeGreaterThanOrEqual(reader.events.at(-1)?.position ?? 0n);
      after = checkpoint;
    });
    await withHistory(store, 2, `${prefix}-b`);
    await reading(store.subscribeToStreams([prefix], { after }), async (reader) => {
      await reader.untilCaughtUp();
      expect(reader.events.map(({ stream }) => stream)).toEqual([`${prefix}-b`, `${prefix}-b`]);
    });
  });

  test('by prefixes resumes after the position of any event', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 3);
    const [, second] = await readAll(store.readStream(stream));
    const after = second?.position ?? 0n;
    await reading(store.subscribeToStreams([stream], { after }), async (reader) => {
      await reader.untilCaughtUp();
      expect(reader.revisions).toEqual([2]);
    });
  });

  test('by prefixes moves its checkpoint past what is left out', async () => {
    const store = access.connect();
    await reading(store.subscribeToStreams([uniqueName()]), async (reader) => {
      await reader.untilCaughtUp();
      const { position } = await store.append(uniqueName(), newEvents(600), { expectedRevision: 'any' });
      const isPast = ({ checkpoint }: SubscriptionBatch) =>
        checkpoint !== undefined && checkpoint > position - 600n;
      await reader.until(isPast);
      expect(reader.events).toEqual([]);
    });
  });

  test('by prefixes outlives the end of a stream, its own or another', async () => {
    const store = access.connect({ silenceMs: 20 });
    const prefix = uniqueName();
    await reading(store.subscribeToStreams([prefix]), async (reader) => {
      await reader.untilCaughtUp();
      for (const stream of [await withHistory(store, 1), await withHistory(store, 1, `${prefix}-a`)])
        await access.driver.tombstone(stream, 'any');
      await reader.untilCount(2);
      expect(reader.events[1]).toMatchObject({ type: '$streamDeleted', revision: Number.MAX_SAFE_INTEGER });
      await withHistory(store, 1, `${prefix}-b`);
      await reader.untilCount(3);
    });
  });

  test('under load misses nothing and repeats nothing', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 100);
    const load = (async () => {
      for (let last = 99; last < 999; last += 9)
        await store.append(stream, newEvents(9), { expectedRevision: last });
    })();
    await Promise.all(
      range(3).map((at) =>
        reading(store.subscribeToStream(stream, at === 0 ? {} : { after: at * 40 }), async (reader) => {
          const first = at === 0 ? 0 : at * 40 + 1;
          await reader.untilCount(1_000 - first);
          expect(reader.revisions).toEqual(range(1_000 - first, first));
        }),
      ),
    );
    await load;
  });

  test('hands over no more at once than it may, however slow the reader is', async () => {
    const store = access.connect({ batchCountMax: 16 });
    const stream = await withHistory(store, 10);
    await reading(store.subscribeToStream(stream), async (reader) => {
      await reader.untilCaughtUp();
      for (let last = 9; last < 4_009; last += 500)
        await store.append(stream, newEvents(500, { data: 'x'.repeat(1_000) }), { expectedRevision: last });
      await reader.untilCount(4_010);
      expect(reader.revisions).toEqual(range(4_010));
      expect(Math.max(...reader.batches.map(({ events }) => events.length))).toBeLessThanOrEqual(16);
    });
  });

  test('is caught up only in the batch that brings the newest event', async () => {
    const store = access.connect({ batchCountMax: 10 });
    const stream = await withHistory(store, 35);
    await reading(store.subscribeToStream(stream), async (reader) => {
      await reader.untilCaughtUp();
      expect(reader.revisions).toEqual(range(35));
    });
  });

  test('twice over one iterable gives two subscriptions of their own', async () => {
    const store = access.connect();
    const subscription = store.subscribeToStream(await withHistory(store, 2));
    for (let at = 0; at < 2; at += 1)
      await reading(subscription, async (reader) => {
        await reader.untilCaughtUp();
        expect(reader.revisions).toEqual([0, 1]);
      });
  });

  test('ends without an error when its signal aborts, also before it begins', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 1);
    const abort = new AbortController();
    const reader = new SubscriptionReader(store.subscribeToStream(stream, { signal: abort.signal }));
    await reader.untilCaughtUp();
    const next = reader.next();
    abort.abort();
    expect(await next).toBeUndefined();
    const late = new SubscriptionReader(store.subscribeToStream(stream, { signal: abort.signal }));
    expect(await late.next()).toBeUndefined();
  });

  test('can be left while it waits', async () => {
    const store = access.connect();
    const reader = new SubscriptionReader(store.subscribeToStream(await withHistory(store, 1)));
    await reader.untilCaughtUp();
    const next = reader.next();
    await reader.leave();
    expect(await next).toBeUndefined();
  });

  test('to a stream that was ended for good fails', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 1);
    const reader = new SubscriptionReader(store.subscribeToStream(stream));
    await reader.untilCaughtUp();
    await access.driver.tombstone(stream, 'any');
    await expect(reader.untilCount(2)).rejects.toMatchObject({ name: 'StreamTombstoned' });
  });
});

describeEventStore('stream limits', (access) => {
  test('are none where none were set', async () => {
    expect(await access.connect().streamLimits(uniqueName())).toEqual({});
  });

  test('come back as they were set last, and hide what is beyond them', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 5);
    await store.setStreamLimits(stream, { maxCount: 2 });
    expect(await store.streamLimits(stream)).toEqual({ maxCount: 2 });
    expect(await revisionsIn(store, stream)).toEqual([3, 4]);
    await store.setStreamLimits(stream, { truncateBefore: 1 });
    expect(await store.streamLimits(stream)).toEqual({ truncateBefore: 1 });
    expect(await revisionsIn(store, stream)).toEqual([1, 2, 3, 4]);
  });

  test('leave what else is known of the stream', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 1);
    await access.driver.setMetadata(stream, { owner: 'ops', $maxCount: 9 });
    await store.setStreamLimits(stream, { truncateBefore: 1 });
    const [metadata] = await readAll(store.readStream(`$$${stream}`));
    expect(metadata?.data).toEqual({ owner: 'ops', $tb: 1 });
  });

  test('of a deleted stream truncate before any revision', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 1);
    await access.driver.delete(stream, 'any');
    expect(await store.streamLimits(stream)).toEqual({ truncateBefore: Number.MAX_SAFE_INTEGER });
    expect(await revisionsIn(store, stream)).toEqual([]);
  });

  test('set by two at once are set one after the other', async () => {
    const store = access.connect();
    const stream = uniqueName();
    await Promise.all(range(5).map((at) => store.setStreamLimits(stream, { maxCount: at + 1 })));
    const [newest] = await readAll(store.readStream(`$$${stream}`));
    expect(newest?.revision).toBe(4);
  });
});

/** Lets the limits of waits of this length pass when it is told to, at once. */
class LimitedTiming implements Timing {
  readonly now = systemTiming.now;
  readonly luck = systemTiming.luck;
  readonly #actions = new Set<() => void>();

  constructor(readonly limitMs: number) {}

  readonly after = (ms: number, action: () => void): (() => void) => {
    if (ms !== this.limitMs) return systemTiming.after(ms, action);
    this.#actions.add(action);
    return () => this.#actions.delete(action);
  };

  pass(): void {
    for (const action of this.#actions) action();
  }
}

describeEventStore('waits', (access) => {
  const aborted = AbortSignal.abort(new Error('no longer needed'));
  const isAborted = { name: 'WaitAborted', mayRetry: true, cause: { message: 'no longer needed' } };

  test('with an aborted signal do not begin', async () => {
    const store = access.connect();
    const stream = uniqueName();
    const options = { signal: aborted, expectedRevision: 'any' } as const;
    await expect(store.append(stream, newEvents(1), options)).rejects.toMatchObject(isAborted);
    await expect(readAll(store.readStream(stream, { signal: aborted }))).rejects.toMatchObject(isAborted);
    await expect(store.streamLimits(stream, { signal: aborted })).rejects.toMatchObject(isAborted);
    expect(await revisionsIn(store, stream)).toEqual([]);
  });

  test('for a page end at their limit and may be made again', async () => {
    const timing = new LimitedTiming(12_345);
    const store = access.connect({ timing });
    const stream = await withHistory(store, 1);
    const late = readAll(store.readStream(stream, { timeoutMs: timing.limitMs }));
    timing.pass();
    await expect(late).rejects.toMatchObject({ name: 'WaitExpired', mayRetry: true });
    expect(await revisionsIn(store, stream)).toEqual([0]);
  });

  test('for an append that end at their limit leave it whole or absent, and repeating it settles which', async () => {
    const timing = new LimitedTiming(12_345);
    const store = access.connect({ timing });
    const stream = await withHistory(store, 1);
    const events = newEvents(3);
    const options = { expectedRevision: 0, timeoutMs: timing.limitMs } as const;
    const late = store.append(stream, events, options).catch(nameOf);
    timing.pass();
    expect(['AppendOutcomeUnknown', 'StoreUnavailable', 'WaitExpired']).toContain(await late);
    expect(await store.append(stream, events, { expectedRevision: 0 })).toMatchObject({ revision: 3 });
    expect(await revisionsIn(store, stream)).toEqual([0, 1, 2, 3]);
  });
});

describeEventStore('readiness', (access) => {
  test('begins with the first success', async () => {
    const store = access.connect();
    expect(store.readiness()).toEqual({ isReady: false, subscriptions: [] });
    await store.append(uniqueName(), newEvents(1), { expectedRevision: 'any' });
    expect(store.readiness()).toMatchObject({
      isReady: true,
      lastSuccessAgoMs: expect.any(Number) as unknown,
    });
  });

  test('names the subscriptions that run, and how far behind they are', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 1);
    await reading(store.subscribeToStream(stream, { name: 'the view' }), async (reader) => {
      await reader.untilCaughtUp();
      expect(store.readiness().subscriptions).toEqual([{ name: 'the view', isCaughtUp: true, behindMs: 0 }]);
    });
    expect(store.readiness().subscriptions).toEqual([]);
  });
});

describeEventStore('closing', (access) => {
  test('twice is fine, also at once', async () => {
    const store = access.connect();
    await store.append(uniqueName(), newEvents(1), { expectedRevision: 'any' });
    await Promise.all([store.close(), store.close()]);
    await store.close();
  });

  test('refuses calls from then on', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 1);
    await store.close();
    const isClosed = { name: 'EventStoreClosed', mayRetry: false };
    const options = { expectedRevision: 'any' } as const;
    await expect(store.append(stream, newEvents(1), options)).rejects.toMatchObject(isClosed);
    await expect(readAll(store.readStream(stream))).rejects.toMatchObject(isClosed);
    await expect(store.setStreamLimits(stream, {})).rejects.toMatchObject(isClosed);
    expect(await new SubscriptionReader(store.subscribeToStream(stream)).next()).toBeUndefined();
  });

  test('ends subscriptions without an error', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 1);
    const readers = [store.subscribeToStream(stream), store.subscribeToStreams([stream])].map(
      (subscription) => new SubscriptionReader(subscription),
    );
    await Promise.all(readers.map((reader) => reader.untilCaughtUp()));
    const next = Promise.all(readers.map((reader) => reader.next()));
    await store.close();
    expect(await next).toEqual([undefined, undefined]);
  });

  test('ends waits in flight', async () => {
    const store = access.connect();
    const stream = await withHistory(store, 1);
    const append = store.append(stream, newEvents(1), { expectedRevision: 0 }).catch(nameOf);
    await store.close();
    expect(await append).toBe('EventStoreClosed');
  });

  test('leaves the store itself to others', async () => {
    const [store, other] = [access.connect(), access.connect()];
    const stream = await withHistory(store, 1);
    await store.close();
    expect(await revisionsIn(other, stream)).toEqual([0]);
  });
});
