import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { NewEvent } from '../../src/event-store/event-store.js';
import { ClientDriver } from '../kit/client-driver.js';
import { connectionStringTo, startEmbeddedStore } from '../kit/embedded-store-thread.js';
import { EngineDriver } from '../kit/engine-driver.js';
import {
  eventsOf,
  following,
  newEvent,
  newEvents,
  positionOf,
  range,
  type StoreDriver,
  type Written,
} from '../kit/store-driver.js';
import { StoreProcess } from '../kit/store-process.js';
import { makeTemporaryDirectory, type TemporaryDirectory } from '../kit/temporary-directory.js';

interface RunningStore {
  readonly driver: StoreDriver;
  end(): Promise<void>;
}

const engine = async (path: string): Promise<RunningStore> => {
  const driver = EngineDriver.open(path);
  return { driver, end: () => driver.stop() };
};

const thread = async (path: string): Promise<RunningStore> => {
  const store = await startEmbeddedStore(path);
  const driver = ClientDriver.connect(connectionStringTo(store.port), () => store.stop());
  return { driver, end: () => driver.stop() };
};

const endedBy =
  (signal: 'SIGTERM' | 'SIGKILL') =>
  async (path: string): Promise<RunningStore> => {
    const store = await StoreProcess.start(path);
    const driver = ClientDriver.connect(connectionStringTo(store.port), () => store.end(signal));
    return { driver, end: () => driver.stop() };
  };

let directory: TemporaryDirectory;
beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});
afterEach(async () => {
  await StoreProcess.endAll();
  await directory.remove();
});

describe.each([
  ['the engine, closed', engine],
  ['the embedded store in a thread, stopped', thread],
  ['the embedded store in a process, stopped', endedBy('SIGTERM')],
  ['the embedded store in a process, killed', endedBy('SIGKILL')],
])('%s and started again,', (_, start) => {
  /** What `before` returns is what `after` is given, on the other side of the restart. */
  const acrossRestart = async <T>(
    before: (store: StoreDriver) => Promise<T>,
    after: (store: StoreDriver, given: T) => Promise<void>,
  ): Promise<void> => {
    const first = await start(directory.path);
    const given = await before(first.driver).finally(() => first.end());
    const second = await start(directory.path);
    await after(second.driver, given).finally(() => second.end());
  };

  test('has every acknowledged event as it was, and goes on numbering', async () => {
    await acrossRestart(
      async (store) => {
        const events = [
          newEvent({ data: { a: [1, 'ü'] }, metadata: { b: 1 } }),
          newEvent({ data: Uint8Array.from(range(256)) }),
        ];
        const written = await store.append('s', events, 'no-stream');
        return { written, events: eventsOf(await store.readStream('s')) };
      },
      async (store, { written, events }) => {
        expect(events).toHaveLength(2);
        expect(eventsOf(await store.readStream('s'))).toEqual(events);
        expect(await store.append('s', newEvents(1), 'no-stream')).toMatchObject({ actual: 1 });
        const next = await store.append('s', newEvents(1), 1);
        expect(next).toMatchObject({ revision: 2 });
        expect(positionOf(next)).toBeGreaterThan(positionOf(written));
      },
    );
  });

  test('recognises what was appended before as repeated', async () => {
    await acrossRestart(
      async (store) => {
        const [exact, loose] = [newEvents(2), newEvents(3)];
        const exactly = await store.append('exact', exact, 'no-stream');
        const loosely = await store.append('loose', loose, 'any');
        return { exact, loose, exactly, loosely };
      },
      async (store, { exact, loose, exactly, loosely }) => {
        expect(await store.append('exact', exact, 'no-stream')).toEqual(exactly);
        expect(await store.append('loose', loose, 'any')).toEqual(loosely);
        expect(eventsOf(await store.readStream('loose'))).toHaveLength(3);
      },
    );
  });

  test('has its deletes, tombstones and limits', async () => {
    await acrossRestart(
      async (store) => {
        for (const stream of ['deleted', 'begun-again', 'tombstoned', 'limited'])
          await store.append(stream, newEvents(3), 'no-stream');
        await store.delete('deleted', 'any');
        await store.delete('begun-again', 'any');
        await store.append('begun-again', newEvents(1), 'no-stream');
        await store.tombstone('tombstoned', 2);
        await store.setMetadata('limited', { $maxCount: 1 });
      },
      async (store) => {
        const revisions = async (stream: string) =>
          eventsOf(await store.readStream(stream)).map(({ revision }) => revision);
        expect(await store.readStream('deleted')).toEqual({ kind: 'not-found' });
        expect(await revisions('begun-again')).toEqual([3]);
        expect(await store.readStream('tombstoned')).toEqual({ kind: 'deleted' });
        expect(await store.append('tombstoned', newEvents(1), 'any')).toEqual({ kind: 'deleted' });
        expect(await revisions('limited')).toEqual([2]);
        expect(await store.append('deleted', newEvents(1), 2)).toMatchObject({ revision: 3 });
      },
    );
  });

  test('lets subscribers resume where they were', async () => {
    await acrossRestart(
      async (store) => {
        const [first] = newEvents(1);
        const position = positionOf(await store.append('s', [first ?? newEvent()], 'no-stream'));
        await store.append('s', newEvents(2), 0);
        return position;
      },
      async (store, after) => {
        await following(store.subscribeToStream('s', 0), async (tape) => {
          await tape.untilKind('caught-up');
          expect(tape.revisions).toEqual([1, 2]);
        });
        const filter = { on: 'stream', prefixes: ['s'] } as const;
        await following(store.subscribeToAll({ after, filter }), async (tape) => {
          await tape.untilKind('caught-up');
          await store.append('s', newEvents(1), 2);
          await tape.untilCount(3);
          expect(tape.revisions).toEqual([1, 2, 3]);
        });
      },
    );
  });
});

describe.each(['SIGTERM', 'SIGKILL'] as const)('a store that gets %s under load', (signal) => {
  interface Try {
    readonly events: readonly NewEvent[];
    readonly outcome: Written | undefined;
  }

  /** Appends three events at a time until the store is gone; the last try has no outcome. */
  const write = async (
    store: StoreDriver,
    stream: string,
    onOutcome: () => void,
  ): Promise<readonly Try[]> => {
    const tries: Try[] = [];
    for (;;) {
      const events = newEvents(3);
      const expected = tries.length === 0 ? 'no-stream' : 3 * tries.length - 1;
      const outcome = await store.append(stream, events, expected).catch(() => undefined);
      tries.push({ events, outcome });
      if (outcome === undefined) return tries;
      onOutcome();
    }
  };

  test('has lost nothing that it acknowledged and torn nothing, and settles the rest by repetition', async () => {
    const first = await StoreProcess.start(directory.path);
    const store = ClientDriver.connect(connectionStringTo(first.port));
    let [outcomeCount, markEnough] = [0, (): void => undefined];
    const enough = new Promise<void>((resolve) => (markEnough = resolve));
    const onOutcome = () => {
      outcomeCount += 1;
      if (outcomeCount === 200) markEnough();
    };
    const writing = Promise.all(range(16).map((writer) => write(store, `writer-${writer}`, onOutcome)));
    await Promise.race([enough, writing]);
    await first.end(signal);
    const writers = await writing;
    expect(outcomeCount).toBeGreaterThanOrEqual(200);
    await store.stop();

    const second = await StoreProcess.start(directory.path);
    const again = ClientDriver.connect(connectionStringTo(second.port), () => second.end('SIGTERM'));
    try {
      for (const [writer, tries] of writers.entries()) {
        const stream = `writer-${writer}`;
        const acknowledged = tries.filter(({ outcome }) => outcome !== undefined);
        expect(acknowledged.map(({ outcome }) => outcome)).toEqual(
          acknowledged.map((_, at) => expect.objectContaining({ kind: 'appended', revision: 3 * at + 2 })),
        );
        const read = await again.readStream(stream);
        const standing = read.kind === 'events' ? read.events.length : 0;
        expect([3 * acknowledged.length, 3 * tries.length]).toContain(standing);
        const last = tries.at(-1)?.events ?? [];
        const expected = acknowledged.length === 0 ? 'no-stream' : 3 * acknowledged.length - 1;
        expect(await again.append(stream, last, expected)).toMatchObject({ revision: 3 * tries.length - 1 });
        expect(eventsOf(await again.readStream(stream)).map(({ id }) => id)).toEqual(
          tries.flatMap(({ events }) => events.map(({ id }) => id)),
        );
      }
    } finally {
      await again.stop();
    }
  });
});

describe('a call in flight', () => {
  /** What became of the call once the store, which had not answered it, was killed. */
  const failureOf = async (call: (store: StoreDriver) => Promise<unknown>): Promise<unknown> => {
    const server = await StoreProcess.start(directory.path);
    const store = ClientDriver.connect(connectionStringTo(server.port));
    try {
      await store.append('s', newEvents(1), 'no-stream');
      server.halt();
      const failure = call(store).then(
        () => 'answered',
        (error: unknown) => error,
      );
      await server.end('SIGKILL');
      return await failure;
    } finally {
      await store.stop();
    }
  };

  test.each<[string, (store: StoreDriver) => Promise<unknown>]>([
    ['an append by the batch path', (store) => store.append('s', newEvents(1), 0, 'batch')],
    ['an append by the unary path', (store) => store.append('s', newEvents(1), 0, 'unary')],
    ['a read', (store) => store.readStream('s')],
    ['a read of $all', (store) => store.readAll({ direction: 'forwards', from: 'start', maxCount: 5 })],
    ['a delete', (store) => store.delete('s', 'any')],
  ])('to a store that is killed fails as unavailable: %s', async (_, call) => {
    expect(codeIn(await failureOf(call))).toBe(status.UNAVAILABLE);
  });

  test.each([
    ['cancelled', 'is stopped', 'SIGTERM', status.CANCELLED],
    ['unavailable', 'is killed', 'SIGKILL', status.UNAVAILABLE],
  ] as const)('that subscribes fails as %s when the store %s', async (_, __, signal, code) => {
    const server = await StoreProcess.start(directory.path);
    const store = ClientDriver.connect(connectionStringTo(server.port));
    try {
      await store.append('s', newEvents(1), 'no-stream');
      await following(store.subscribeToStream('s', 'start'), async (tape) => {
        await tape.untilKind('caught-up');
        const failure = tape.untilCount(2).catch((error: unknown) => error);
        await server.end(signal);
        expect(codeIn(await failure)).toBe(code);
      });
    } finally {
      await store.stop();
    }
  });

  test('a subscription in the same process ends when the engine closes', async () => {
    const store = EngineDriver.open(directory.path);
    await following(store.subscribeToStream('s', 'start'), async (tape) => {
      await tape.untilKind('caught-up');
      const failure = tape.untilCount(1).catch(String);
      await store.stop();
      expect(await failure).toMatch('the subscription ended');
    });
  });
});

/** Errors of the client are either gRPC's or wrap one. */
const codeIn = (error: unknown): unknown => {
  const { code, _raw } = error as { code?: unknown; _raw?: unknown };
  return code ?? (_raw === undefined ? error : codeIn(_raw));
};
