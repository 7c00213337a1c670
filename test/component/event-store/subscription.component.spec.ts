import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { Metadata, status } from '@grpc/grpc-js';
import type { LogEntry } from '../../../src/event-store/log.js';
import { fakeEvent } from '../../kit/fake-log.js';
import { withFakeStore } from '../../kit/fake-store-client.js';
import type { FakeSubscription } from '../../kit/fake-subscription.js';
import { SubscriptionReader } from '../../kit/subscription-reader.js';

const events = (count: number) => Array.from({ length: count }, (_, at) => fakeEvent(`id-${at}`));
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);
const dropped = { code: status.ABORTED, details: 'consumer too slow' };

describe('subscribing to a stream', () => {
  test('brings the history, tells that it has caught up, and goes on live', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.write('s', ...events(3));
      const reader = new SubscriptionReader(client.subscribeToStream('s'));
      await reader.untilCaughtUp();
      expect(reader.revisions).toEqual([0, 1, 2]);
      store.write('s', fakeEvent('live'));
      expect(await reader.next()).toMatchObject({ events: [{ id: 'live' }], isCaughtUp: true });
      await reader.leave();
    });
  });

  test('begins after the revision it is given', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.write('s', ...events(5));
      const reader = new SubscriptionReader(client.subscribeToStream('s', { after: 2 }));
      await reader.untilCaughtUp();
      expect(reader.revisions).toEqual([3, 4]);
      await reader.leave();
    });
  });

  test('having caught up is told after the events before it, also to a slow reader', async () => {
    await withFakeStore(
      async ({ store, client }) => {
        store.write('s', ...events(20));
        const reader = new SubscriptionReader(client.subscribeToStream('s'));
        const last = await reader.untilCaughtUp();
        expect(reader.revisions).toEqual(upTo(20));
        expect(reader.batches.filter(({ isCaughtUp }) => isCaughtUp)).toEqual([last]);
        expect(reader.batches.every((batch) => batch.events.length <= 4)).toBe(true);
        await reader.leave();
      },
      { subscriptionBufferMax: 4 },
    );
  });

  test('holds back the store while the reader takes nothing', async () => {
    await withFakeStore(
      async ({ store, client }) => {
        const large = { ...fakeEvent('large'), data: Buffer.alloc(64 * 1_024, '1') };
        store.write('s', ...Array.from({ length: 200 }, () => large));
        const isHeldBack = new Promise<boolean>((resolve) => {
          store.onSubscription = (subscription) => {
            subscription.confirm();
            const all = store.log.stream('s').map((event) => subscription.send(event));
            resolve(all.includes(false));
          };
        });
        const reader = new SubscriptionReader(client.subscribeToStream('s'));
        await reader.untilCount(1);
        expect(await isHeldBack).toBe(true);
        const [subscription] = store.subscriptions;
        expect(subscription?.call.writableLength).toBeGreaterThan(100);
        await reader.untilCount(200);
        await reader.leave();
      },
      { subscriptionBufferMax: 4, silenceMs: 5_000 },
    );
  });

  test('aborting ends it without an error', async () => {
    await withFakeStore(async ({ client }) => {
      const abort = new AbortController();
      const reader = new SubscriptionReader(client.subscribeToStream('s', { signal: abort.signal }));
      await reader.untilCaughtUp();
      const end = reader.next();
      abort.abort();
      expect(await end).toBeUndefined();
      expect(await reader.next()).toBeUndefined();
    });
  });

  test('closing the client ends it without an error', async () => {
    await withFakeStore(async ({ client }) => {
      const reader = new SubscriptionReader(client.subscribeToStream('s'));
      await reader.untilCaughtUp();
      const end = reader.next();
      await client.close();
      expect(await end).toBeUndefined();
    });
  });

  test('leaving it while it waits cancels its call at the store', async () => {
    await withFakeStore(async ({ store, client }) => {
      const reader = new SubscriptionReader(client.subscribeToStream('s'));
      await reader.untilCaughtUp();
      const [subscription] = store.subscriptions as ReadonlySet<FakeSubscription>;
      const cancelled = once(subscription?.call as never, 'cancelled');
      const waiting = reader.next();
      await reader.leave();
      expect(await waiting).toBeUndefined();
      await cancelled;
      expect(client.readiness().subscriptions).toEqual([]);
    });
  });

  test('a stream that is deleted for good ends it with an error', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.onSubscription = (subscription) => {
        const metadata = new Metadata();
        metadata.set('exception', 'stream-deleted');
        metadata.set('stream-name', 's');
        subscription.drop({ code: status.FAILED_PRECONDITION, details: 'deleted', metadata });
      };
      const reader = new SubscriptionReader(client.subscribeToStream('s'));
      await expect(reader.next()).rejects.toMatchObject({ name: 'StreamTombstoned', stream: 's' });
      expect(client.readiness().subscriptions).toEqual([]);
    });
  });
});

describe('defect 5: subscriptions never reconnect by themselves and can go silent without an error', () => {
  test('one that is dropped is resumed after the last event handed over', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.write('s', ...events(3));
      const reader = new SubscriptionReader(client.subscribeToStream('s'));
      await reader.untilCaughtUp();
      for (const subscription of store.subscriptions) subscription.drop(dropped);
      store.write('s', ...events(2));
      await reader.untilCount(5);
      expect(reader.revisions).toEqual(upTo(5));
      await reader.leave();
    });
  });

  test('one that goes silent is found out by the head of the stream and resumed', async () => {
    await withFakeStore(async ({ store, client }) => {
      const reader = new SubscriptionReader(client.subscribeToStream('s'));
      await reader.untilCaughtUp();
      for (const subscription of store.subscriptions) subscription.isSilent = true;
      store.write('s', ...events(3));
      await reader.untilCount(3);
      expect(reader.revisions).toEqual(upTo(3));
      await reader.leave();
    });
  });

  test('one that is silent because there is nothing to tell is left alone', async () => {
    await withFakeStore(
      async ({ store, client }) => {
        store.write('s', ...events(1));
        const reader = new SubscriptionReader(client.subscribeToStream('s'));
        await reader.untilCaughtUp();
        const waiting = reader.next();
        for (let probeCount = 0; probeCount < 3; probeCount += 1) await store.arrival('read');
        store.write('s', ...events(1));
        expect(await waiting).toMatchObject({ events: [{ revision: 1 }] });
        expect(store.subscriptionCount).toBe(1);
        await reader.leave();
      },
      { silenceMs: 20 },
    );
  });

  test('one whose store cannot even say what its head is, is resumed on another connection', async () => {
    await withFakeStore(async ({ store, client }) => {
      const reader = new SubscriptionReader(client.subscribeToStream('s'));
      await reader.untilCaughtUp();
      for (const subscription of store.subscriptions) subscription.isSilent = true;
      store.onRead = () => true;
      const waiting = reader.untilCount(2);
      await store.arrival('read');
      store.onRead = () => false;
      store.write('s', ...events(2));
      await waiting;
      expect(reader.revisions).toEqual([0, 1]);
      await reader.leave();
    });
  });

  test('one whose store is killed is resumed when it is back', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.write('s', ...events(2));
      const reader = new SubscriptionReader(client.subscribeToStream('s'));
      await reader.untilCaughtUp();
      const waiting = reader.until((batch) => batch.events.length > 0);
      store.vanish();
      store.write('s', ...events(1));
      await store.serve();
      await waiting;
      expect(reader.revisions).toEqual([0, 1, 2]);
      await reader.leave();
    });
  });

  test('an event that the store sends twice is handed over once', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.write('s', ...events(3));
      store.onSubscription = (subscription) => {
        subscription.confirm();
        subscription.sendHistory();
        subscription.sendHistory();
        subscription.sendCaughtUp();
      };
      const reader = new SubscriptionReader(client.subscribeToStream('s'));
      await reader.untilCaughtUp();
      expect(reader.revisions).toEqual([0, 1, 2]);
      await reader.leave();
    });
  });

  test('a store that never says so (before 23.10) has caught up when its head was handed over', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.write('s', ...events(2));
      store.onSubscription = (subscription) => {
        subscription.confirm();
        subscription.sendHistory();
      };
      const reader = new SubscriptionReader(client.subscribeToStream('s'));
      await reader.untilCaughtUp();
      expect(reader.revisions).toEqual([0, 1]);
      await reader.leave();
    });
  });

  test('it resumes a thousand times and more without loss, repetition or growth', async () => {
    await withFakeStore(
      async ({ store, client }) => {
        store.onSubscription = (subscription) => {
          subscription.confirm();
          store.write('s', fakeEvent('x'));
          subscription.sendHistory();
          subscription.drop(dropped);
        };
        const abort = new AbortController();
        const counted = countListeners(abort.signal);
        const reader = new SubscriptionReader(client.subscribeToStream('s', { signal: abort.signal }));
        await reader.untilCount(200);
        const heapBefore = heapBytes();
        await reader.untilCount(1_400);
        const growthBytes = heapBytes() - heapBefore;
        expect(reader.revisions).toEqual(upTo(reader.revisions.length));
        expect(store.subscriptionCount).toBeGreaterThanOrEqual(1_400);
        expect(store.subscriptions.size).toBeLessThan(10);
        expect(counted.listenerCount).toBeLessThan(5);
        // Each event that was read and written is kept by this test; a kept connection would weigh ten times as much.
        expect(growthBytes).toBeLessThan(1_200 * 4_096);
        await reader.leave();
        expect(counted.listenerCount).toBe(0);
      },
      { backoff: { firstMs: 0, maxMs: 0 } },
      55_000,
    );
  }, 60_000);
});

/** What is alive on the heap, in bytes. */
const heapBytes = (): number => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

/** Counts the listeners of a signal while they come and go. */
const countListeners = (signal: AbortSignal): { listenerCount: number } => {
  const counted = { listenerCount: 0 };
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    counted.listenerCount += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    counted.listenerCount -= 1;
    remove(...given);
  };
  return counted;
};

describe('subscribing to several streams by prefix', () => {
  test('brings their events in the order of the store, each with the position to resume after', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.write('tracker-0', ...events(1));
      store.write('other-0', ...events(1));
      store.write('leader-0', ...events(1));
      const reader = new SubscriptionReader(client.subscribeToStreams(['tracker-', 'leader-']));
      const batch = await reader.untilCaughtUp();
      expect(reader.events.map(({ stream }) => stream)).toEqual(['tracker-0', 'leader-0']);
      expect(batch.checkpoint).toBe(30n);
      await reader.leave();
    });
  });

  test('resumes after a checkpoint, where the filter left the events out', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.onSubscription = (subscription) => {
        subscription.confirm();
        subscription.sendCheckpoint(500);
        subscription.sendCaughtUp();
      };
      const reader = new SubscriptionReader(client.subscribeToStreams(['tracker-'], { after: 20n }));
      expect(await reader.untilCaughtUp()).toMatchObject({ events: [], checkpoint: 500n });
      const resumed = store.arrival('subscription');
      const waiting = reader.next();
      for (const subscription of store.subscriptions) subscription.drop(dropped);
      expect(await resumed).toMatchObject({ after: 500 });
      await reader.leave();
      await waiting;
    });
  });

  test('a checkpoint never overtakes the events before it', async () => {
    await withFakeStore(
      async ({ store, client }) => {
        store.write('tracker-0', ...events(40));
        store.onSubscription = (subscription) => {
          subscription.confirm();
          subscription.sendHistory();
          subscription.sendCheckpoint(5_000);
          subscription.sendCaughtUp();
        };
        const reader = new SubscriptionReader(client.subscribeToStreams(['tracker-']));
        await reader.untilCaughtUp();
        expect(reader.revisions).toEqual(upTo(40));
        for (const { events: some, checkpoint } of reader.batches.slice(0, 5)) {
          expect(checkpoint).toBe(some.at(-1)?.position);
        }
        expect(reader.batches.at(-1)?.checkpoint).toBe(5_000n);
        await reader.leave();
      },
      { subscriptionBufferMax: 4 },
    );
  });

  test('events of other streams do not make it look silent, and move its checkpoint on', async () => {
    await withFakeStore(
      async ({ store, client }) => {
        store.write('tracker-0', ...events(1));
        const reader = new SubscriptionReader(client.subscribeToStreams(['tracker-']));
        await reader.untilCaughtUp();
        store.write('other-0', ...events(7));
        expect(await reader.next()).toMatchObject({ events: [], isCaughtUp: true, checkpoint: 80n });
        expect(store.subscriptionCount).toBe(1);
        await reader.leave();
      },
      { silenceMs: 20 },
    );
  });

  test('one that goes silent is found out behind the events of other streams, and resumed', async () => {
    await withFakeStore(
      async ({ store, client }) => {
        const reader = new SubscriptionReader(client.subscribeToStreams(['tracker-']));
        await reader.untilCaughtUp();
        for (const subscription of store.subscriptions) subscription.isSilent = true;
        store.write('tracker-0', ...events(1));
        store.write('other-0', ...events(3));
        await reader.untilCount(1);
        expect(reader.events).toMatchObject([{ stream: 'tracker-0', revision: 0 }]);
        await reader.leave();
      },
      { silenceMs: 20 },
    );
  });
});

describe('readiness', () => {
  test('a connected client is not ready before the store has done something for it', async () => {
    await withFakeStore(async ({ client }) => {
      expect(client.readiness().isReady).toBe(false);
      await client.append('s', [{ id: crypto.randomUUID(), type: 'x', data: 1 }], {
        expectedRevision: 'any',
      });
      expect(client.readiness().isReady).toBe(true);
    });
  });

  test('shows a subscription that is behind, and is lost when it stays so', async () => {
    let noteResuming = (): void => undefined;
    const resuming = new Promise<void>((resolve) => {
      noteResuming = resolve;
    });
    const log = ({ message }: LogEntry): void => {
      if (message === 'resuming the subscription tracker') noteResuming();
    };
    await withFakeStore(
      async ({ store, client }) => {
        store.write('s', ...events(3));
        await client.streamLimits('s');
        const reader = new SubscriptionReader(client.subscribeToStream('s', { name: 'tracker' }));
        expect(client.readiness().subscriptions).toMatchObject([{ name: 'tracker', isCaughtUp: false }]);
        await reader.untilCaughtUp();
        const caughtUp = { name: 'tracker', isCaughtUp: true, behindMs: 0 };
        expect(client.readiness()).toMatchObject({ isReady: true, subscriptions: [caughtUp] });
        store.vanish();
        const waiting = reader.next();
        await resuming;
        expect(client.readiness()).toMatchObject({ isReady: false, subscriptions: [{ isCaughtUp: false }] });
        await reader.leave();
        expect(await waiting).toBeUndefined();
      },
      { log, lagMaxMs: 0 },
    );
  });
});
