import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ClientDriver } from '../kit/client-driver.js';
import { startEmbeddedStore } from '../kit/embedded-store-thread.js';
import { withStore } from '../kit/running-store.js';
import { eventsOf, following, newEvents, range } from '../kit/store-driver.js';
import { StoreProcess } from '../kit/store-process.js';
import { withTemporaryDirectory } from '../kit/temporary-directory.js';

afterEach(() => StoreProcess.endAll());

/** What is left of a store that has stopped: nothing that says somebody is there. */
const filesAfterStop = ['events.db', 'store.lock'];

describe('a store that gets SIGTERM', () => {
  it.each([1, 2])(
    'answers what is in flight, ends subscriptions, and is gone within seconds: %i times',
    async (times) => {
      await withTemporaryDirectory(async (path) => {
        const acknowledged = await withStore(path, async ({ process, client }) => {
          let outcomes = 0;
          let stoppedAt = 0;
          const ids: string[] = [];
          const write = async (writer: number): Promise<void> => {
            for (;;) {
              const events = newEvents(2);
              const written = await client.append(`s-${writer}`, events, 'any').catch(() => undefined);
              if (written === undefined) return;
              ids.push(...events.map(({ id }) => id));
              outcomes += 1;
              if (outcomes !== 100) continue;
              stoppedAt = Date.now();
              for (const _ of range(times)) process.signal('SIGTERM');
            }
          };
          const subscriptions = range(10).map(() =>
            following(client.subscribeToAll({ after: 'start' }), (tape) => tape.untilCount(1_000_000)).catch(
              (error: unknown) => error,
            ),
          );
          await Promise.all(range(16).map(write));
          expect(await process.ended).toMatchObject({ exitCode: 0, signal: null, errors: '' });
          expect(Date.now() - stoppedAt).toBeLessThan(5_000);
          for (const failure of await Promise.all(subscriptions))
            expect(String(failure)).toMatch(/stopping|UNAVAILABLE/i);
          return ids;
        });
        expect((await readdir(path)).toSorted()).toEqual(filesAfterStop);
        await withStore(path, async ({ client }) => {
          const all = await client.readAll({ direction: 'forwards', from: 'start', maxCount: 100_000 });
          const written = all.filter(({ stream }) => stream.startsWith('s-')).map(({ id }) => id);
          // Also the other way round: nothing was written whose caller was not told so.
          expect(written.toSorted()).toEqual(acknowledged.toSorted());
        });
      });
    },
  );
});

describe('the embedded store in a thread', () => {
  it('can be started and stopped again and again, and stopped twice', async () => {
    await withTemporaryDirectory(async (path) => {
      for (const round of range(3)) {
        const store = await startEmbeddedStore(path);
        const client = ClientDriver.connect(`esdb://127.0.0.1:${String(store.port)}?tls=false`);
        expect(await client.append('s', newEvents(1), 'any')).toMatchObject({ revision: round });
        await client.stop();
        await Promise.all([store.stop(), store.stop()]);
        await store.stop();
        expect(await store.ended).toBeUndefined();
        expect((await readdir(path)).toSorted()).toEqual(filesAfterStop);
      }
    });
  });

  it('is refused a directory that a thread of the same process holds, and leaves that one alone', async () => {
    await withTemporaryDirectory(async (path) => {
      const store = await startEmbeddedStore(path);
      try {
        const refusal = {
          name: 'DirectoryInUse',
          message: expect.stringContaining(`process ${process.pid}`) as unknown,
        };
        await expect(startEmbeddedStore(path)).rejects.toMatchObject(refusal);
        const end = await StoreProcess.refusal(['--data', path, '--port', '0']);
        expect([end.exitCode, end.errors]).toEqual([
          1,
          expect.stringContaining(`in use by process ${process.pid}`),
        ]);
      } finally {
        await store.stop();
      }
    });
  });

  it('is refused a directory that another process holds, and reaches that one by its socket', async () => {
    await withTemporaryDirectory(async (path) => {
      await withStore(path, async ({ process: other, client }) => {
        await client.append('s', newEvents(2), 'no-stream');
        await expect(startEmbeddedStore(path)).rejects.toMatchObject({
          name: 'DirectoryInUse',
          message: expect.stringContaining(`process ${other.processId}`) as unknown,
        });
        const bySocket = new EventStoreDBClient(
          { endpoint: `unix:${join(path, 'store.sock')}` as never },
          { insecure: true },
        );
        try {
          const { nextExpectedRevision } = await bySocket.appendToStream('s', []);
          expect(nextExpectedRevision).toBe(1n);
          expect(eventsOf(await client.readStream('s'))).toHaveLength(2);
        } finally {
          await bySocket.dispose();
        }
      });
    });
  });
});
