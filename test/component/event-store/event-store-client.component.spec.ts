import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Metadata, status } from '@grpc/grpc-js';
import { EventStoreClient } from '../../../src/event-store/event-store-client.js';
import { FakeStore } from '../../kit/fake-store.js';
import { appendOne, newEvent, quickOptions, readAll, withFakeStore } from '../../kit/fake-store-client.js';
import { fakeEvent } from '../../kit/fake-log.js';
import type { ReadCall } from '../../kit/fake-subscription.js';
import {
  deletedStatus,
  invalidStatus,
  tooLargeStatus,
  namedStatus,
  refusalStatus,
} from '../../kit/fake-store-messages.js';

describe('appending', () => {
  test('says that the first sending was acknowledged (P2)', async () => {
    await withFakeStore(async ({ client }) => {
      const receipt = await appendOne(client, 'tracker-0', 'no-stream');
      expect(receipt).toMatchObject({ revision: 0, wasAcknowledgedAtFirstSending: true });
    });
  });

  test('a wrong revision at the first sending is a conflict at once', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.write('tracker-0', fakeEvent('a'), fakeEvent('b'));
      await expect(appendOne(client, 'tracker-0', 0)).rejects.toMatchObject({
        name: 'AppendConflict',
        stream: 'tracker-0',
        expected: 0,
        actual: 1,
        mayRetry: false,
      });
      await expect(appendOne(client, 'other-0', 3)).rejects.toMatchObject({ actual: 'no-stream' });
      expect(store.appends).toHaveLength(2);
    });
  });

  test('concurrent appends reach the store in the order of the calls', async () => {
    await withFakeStore(async ({ store, client }) => {
      const ids = Array.from({ length: 50 }, () => newEvent());
      await Promise.all(ids.map((event) => client.append('tracker-0', [event], { expectedRevision: 'any' })));
      expect(store.log.stream('tracker-0').map(({ id }) => id)).toEqual(ids.map(({ id }) => id));
    });
  });

  test.each([
    [
      'its disk is full',
      refusalStatus('disk full'),
      { name: 'AppendRefused', reason: 'disk full', mayRetry: true },
    ],
    [
      'it is too large for the store',
      tooLargeStatus(1_048_576),
      { name: 'AppendTooLarge', bytesMax: 1_048_576 },
    ],
    [
      'the stream is deleted for good',
      deletedStatus('tracker-0'),
      { name: 'StreamTombstoned', mayRetry: false },
    ],
    ['the request is wrong', invalidStatus('no'), { name: 'AppendRefused', reason: 'no' }],
    ['access is denied', namedStatus('AccessDenied'), { name: 'AccessDenied', mayRetry: false }],
  ])('a refusal at the first sending is final: %s', async (_, status, error) => {
    await withFakeStore(async ({ store, client }) => {
      store.onAppend = (append) => {
        append.answer(status);
      };
      await expect(appendOne(client, 'tracker-0', 'no-stream')).rejects.toMatchObject(error);
      expect(store.appends).toHaveLength(1);
    });
  });

  test('an append that exceeds the limit is not sent', async () => {
    await withFakeStore(
      async ({ store, client }) => {
        const large = newEvent('x'.repeat(1_000));
        await expect(client.append('tracker-0', [large], { expectedRevision: 'any' })).rejects.toMatchObject({
          name: 'AppendTooLarge',
          bytesMax: 1_000,
        });
        expect(store.appends).toHaveLength(0);
      },
      { appendBytesMax: 1_000 },
    );
  });
});

describe('a wait for an append that ends early', () => {
  test('whenever it is aborted, what is said not to be sent is never sent', async () => {
    await withFakeStore(async ({ store, client }) => {
      await appendOne(client, 'first', 'any');
      const outcomes = await Promise.all(
        Array.from({ length: 60 }, async (_, at) => {
          const abort = new AbortController();
          const options = { expectedRevision: 'no-stream', signal: abort.signal } as const;
          const appending = client.append(`s-${at}`, [newEvent()], options);
          const outcome = appending.then(
            () => 'appended',
            (error: unknown) => (error as Error).name,
          );
          // From the first, which is long under way, to the last, which still waits for its turn.
          for (let turn = (60 - at) * 4; turn > 0; turn -= 1) await Promise.resolve();
          abort.abort();
          return outcome;
        }),
      );
      await appendOne(client, 'last', 'any');
      const arrived = new Set(store.appends.map(({ stream }) => stream));
      const unsent = outcomes.flatMap((outcome, at) => (outcome === 'WaitAborted' ? [`s-${at}`] : []));
      expect(unsent.filter((stream) => arrived.has(stream))).toEqual([]);
      expect(new Set(outcomes)).toEqual(new Set(['WaitAborted', 'AppendOutcomeUnknown']));
    });
  });
});

describe('reading', () => {
  test('JSON comes back as JSON, bytes as bytes, and both in the metadata too', async () => {
    await withFakeStore(async ({ client }) => {
      const data = [null, true, 0, 'text', [1], { a: { b: 'ü' } }, Buffer.from([0, 255])];
      const metadata = [undefined, null, 0, false, { $causationId: 'x' }, new Uint8Array([255, 0]), 'text'];
      const events = data.map((each, at) => {
        const given = metadata[at];
        return given === undefined ? newEvent(each) : { ...newEvent(each), metadata: given };
      });
      await client.append('s', events, { expectedRevision: 'no-stream' });
      const read = await readAll(client.readStream('s'));
      expect(read.map((event) => event.data)).toEqual([...data.slice(0, 6), new Uint8Array([0, 255])]);
      expect(read.map((event) => event.metadata)).toEqual(metadata);
      expect(read[6]?.data).not.toBeInstanceOf(Buffer);
    });
  });

  test('an event carries its revision, its position, and when the store wrote it', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.write('s', fakeEvent('00000000-0000-4000-8000-000000000001', { jobId: 'j' }));
      expect(await readAll(client.readStream('s'))).toEqual([
        {
          stream: 's',
          revision: 0,
          position: 10n,
          id: '00000000-0000-4000-8000-000000000001',
          type: 'job-placed.v1',
          data: { jobId: 'j' },
          createdAt: 1_700_000_000_000,
        },
      ]);
    });
  });

  test('a stream that does not exist has no pages', async () => {
    await withFakeStore(async ({ client }) => {
      expect(await readAll(client.readStream('missing'))).toEqual([]);
    });
  });

  test.each([
    ['forwards, in full pages', { pageSize: 3 }, [0, 1, 2, 3, 4, 5]],
    ['forwards from a revision', { from: 2, pageSize: 2 }, [2, 3, 4, 5]],
    ['forwards up to a count', { pageSize: 4, maxCount: 5 }, [0, 1, 2, 3, 4]],
    ['backwards from the end', { direction: 'backwards', pageSize: 4 }, [5, 4, 3, 2, 1, 0]],
    ['backwards from a revision', { direction: 'backwards', from: 3, pageSize: 2 }, [3, 2, 1, 0]],
  ] as const)('reads %s', async (_, options, revisions) => {
    await withFakeStore(async ({ store, client }) => {
      store.write('s', ...'abcdef'.split('').map((id) => fakeEvent(id)));
      const read = await readAll(client.readStream('s', options));
      expect(read.map(({ revision }) => revision)).toEqual(revisions);
    });
  });

  test('asks for the leader where the caller does', async () => {
    await withFakeStore(async ({ store, client }) => {
      await readAll(client.readStream('s', { requiresLeader: true }));
      await readAll(client.readStream('s'));
      expect(store.metadata.map((metadata) => metadata.get('requires-leader'))).toEqual([['true'], []]);
    });
  });

  test('a stream that is deleted for good says so', async () => {
    await withFakeStore(async ({ store, client }) => {
      const metadata = new Metadata();
      metadata.set('exception', 'stream-deleted');
      store.onRead = (call) =>
        call.emit('error', { code: status.FAILED_PRECONDITION, details: 'deleted', metadata });
      await expect(readAll(client.readStream('s'))).rejects.toMatchObject({
        name: 'StreamTombstoned',
        stream: 's',
      });
    });
  });

  test.each([
    ['the store says so', { code: status.INVALID_ARGUMENT, details: 'no such place' }],
    [
      'it cannot be encoded',
      { code: status.INTERNAL, details: 'Request message serialization failure: no such place' },
    ],
  ])('a request that is wrong ends itself and nothing else: %s', async (_, error) => {
    const messages: string[] = [];
    await withFakeStore(
      async ({ store, client }) => {
        store.write('s', fakeEvent('a'));
        store.onRead = (call) => call.emit('error', error);
        const refusal = { name: 'RequestRefused', mayRetry: false };
        await expect(readAll(client.readStream('s'))).rejects.toMatchObject(refusal);
        store.onSubscription = ({ call }) => call.emit('error', error);
        const subscription = client.subscribeToStream('s')[Symbol.asyncIterator]();
        await expect(subscription.next()).rejects.toMatchObject(refusal);
        await appendOne(client, 's', 0);
        expect(messages).toEqual(['connected to the store']);
      },
      { log: ({ message }) => messages.push(message) },
    );
  });

  test('a read is made again on the next connection when the store comes back', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.write('s', fakeEvent('a'));
      const arrived = store.arrival('read');
      store.onRead = () => true;
      const reading = readAll(client.readStream('s'));
      await arrived;
      store.onRead = () => false;
      store.vanish();
      await store.serve();
      expect(await reading).toHaveLength(1);
    });
  });

  test('an aborted read rejects, and its call is cancelled at the store', async () => {
    await withFakeStore(async ({ store, client }) => {
      const arrived = store.arrival('read');
      store.onRead = () => true;
      const abort = new AbortController();
      const reading = readAll(client.readStream('s', { signal: abort.signal }));
      const cancelled = once((await arrived) as ReadCall, 'cancelled');
      abort.abort(new Error('no longer needed'));
      await expect(reading).rejects.toMatchObject({
        name: 'WaitAborted',
        cause: { message: 'no longer needed' },
      });
      await cancelled;
    });
  });

  test('every wait has a limit of its own', async () => {
    await withFakeStore(async ({ store, client }) => {
      await appendOne(client, 's', 'any');
      store.onRead = () => true;
      await expect(readAll(client.readStream('s', { timeoutMs: 20 }))).rejects.toMatchObject({
        name: 'WaitExpired',
      });
    });
  });
});

describe('stream limits', () => {
  test('come back as they were set, and leave the other metadata as it is', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.write('$$s', fakeEvent('a', { $acl: { $r: 'ops' }, $maxCount: 1 }));
      expect(await client.streamLimits('s')).toEqual({ maxCount: 1 });
      await client.setStreamLimits('s', { truncateBefore: 7 });
      expect(await client.streamLimits('s')).toEqual({ truncateBefore: 7 });
      const metadata = JSON.parse(Buffer.from(store.log.stream('$$s')[1]?.data ?? []).toString()) as unknown;
      expect(metadata).toEqual({ $acl: { $r: 'ops' }, $tb: 7 });
      expect(store.log.stream('$$s')[1]?.type).toBe('$metadata');
    });
  });

  test('a stream without metadata has none', async () => {
    await withFakeStore(async ({ client }) => {
      expect(await client.streamLimits('s')).toEqual({});
      await client.setStreamLimits('s', { maxCount: 1 });
      expect(await client.streamLimits('s')).toEqual({ maxCount: 1 });
    });
  });

  test('a deleted stream is truncated before any revision', async () => {
    await withFakeStore(async ({ store, client }) => {
      const text = Buffer.from('{"$tb":9223372036854775807}');
      store.write('$$s', { ...fakeEvent('a'), data: text });
      expect(await client.streamLimits('s')).toEqual({ truncateBefore: Number.MAX_SAFE_INTEGER });
    });
  });
});

describe('connecting', () => {
  test('works over a Unix socket', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'longshore-socket-'));
    const socketPath = join(directory, 'store.sock');
    const store = await FakeStore.start(`unix:${socketPath}`);
    const client = EventStoreClient.connect({ socketPath }, quickOptions);
    try {
      expect(await appendOne(client, 's', 'no-stream')).toMatchObject({ revision: 0 });
    } finally {
      await client.close();
      store.vanish();
      await rm(directory, { recursive: true });
    }
  });

  test('a connection string that cannot be read is refused at once', () => {
    expect(() => EventStoreClient.connect('http://127.0.0.1')).toThrow(
      expect.objectContaining({ name: 'StoreAddressInvalid' }),
    );
  });

  test('what is closed refuses calls, and closing twice is fine', async () => {
    await withFakeStore(async ({ client }) => {
      await appendOne(client, 's', 'any');
      await client.close();
      await client.close();
      await expect(appendOne(client, 's', 'any')).rejects.toMatchObject({ name: 'EventStoreClosed' });
    });
  });
});
