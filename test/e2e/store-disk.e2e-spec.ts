import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { NewEvent, RecordedEvent } from '../../src/event-store/event-store.js';
import type { ClientDriver } from '../kit/client-driver.js';
import { withSmallDisk } from '../kit/full-disk.js';
import { withStore } from '../kit/running-store.js';
import { eventsOf, following, newEvent, newEvents, range, type Written } from '../kit/store-driver.js';
import { StoreProcess } from '../kit/store-process.js';
import { withTemporaryDirectory } from '../kit/temporary-directory.js';
import { TracedSyncs } from '../kit/traced-syncs.js';

afterEach(() => StoreProcess.endAll());

const idsIn = async (client: ClientDriver, stream = 's'): Promise<readonly string[]> =>
  eventsOf(await client.readStream(stream)).map(({ id }) => id);

const idsOf = (events: readonly { readonly id: string }[]): readonly string[] => events.map(({ id }) => id);

/** An append of its own: either it is acknowledged, or it fails with an error. */
const outcomeOf = async (written: Promise<Written>): Promise<unknown> =>
  written.then(
    ({ kind }) => kind,
    (error: unknown) => error,
  );

const large = (bytes: number): NewEvent => newEvent({ data: { padding: 'x'.repeat(bytes) } });

describe('a full disk', () => {
  it.each(['batch', 'unary'] as const)(
    'refuses appends with the reason, reads on, takes them again once there is room, and has lost nothing: %s',
    async (path) => {
      await withSmallDisk(8, async (disk) => {
        const data = join(disk.path, 'data');
        const acknowledged: NewEvent[] = [];
        await withStore(data, async ({ process, client }) => {
          await following(client.subscribeToAll({ after: 'start' }), async (tape) => {
            const append = async (events: readonly NewEvent[]): Promise<unknown> => {
              const outcome = await outcomeOf(client.append('s', events, 'any', path));
              if (outcome === 'appended') acknowledged.push(...events);
              return outcome;
            };
            expect(await append(newEvents(3))).toBe('appended');
            await disk.fill();
            // Frames that the write-ahead log has room for already may still be taken.
            const outcomes = [];
            for (const _ of range(20)) outcomes.push(await append([large(20_000)]));
            const refusals = outcomes.filter((outcome) => outcome !== 'appended');
            expect(refusals.length).toBeGreaterThan(10);
            for (const refusal of refusals)
              expect(String(refusal)).toMatch('append-refused: the disk is full');

            expect(await idsIn(client)).toEqual(idsOf(acknowledged));
            expect(
              eventsOf(await client.readStream('s', { direction: 'backwards', maxCount: 1 })),
            ).toHaveLength(1);
            await disk.empty();
            expect(await append(newEvents(2))).toBe('appended');
            expect(await append([large(20_000)])).toBe('appended');
            expect(await idsIn(client)).toEqual(idsOf(acknowledged));
            await tape.untilCount(acknowledged.length + 1);
            expect(tape.ids.slice(1)).toEqual(idsOf(acknowledged));
          });
          await process.end('SIGKILL');
        });
        await withStore(data, async ({ client }) => {
          expect(await idsIn(client)).toEqual(idsOf(acknowledged));
          expectGapless(eventsOf(await client.readStream('s')));
        });
      });
    },
  );

  it('refuses of appends that arrive together only those that have no room', async () => {
    await withSmallDisk(2, async (disk) => {
      await withStore(join(disk.path, 'data'), async ({ client }) => {
        const appends = range(40).map((at) => ({
          stream: `s-${at}`,
          event: large(at % 2 === 0 ? 100 : 100_000),
        }));
        const outcomes = await Promise.all(
          appends.map(({ stream, event }) => outcomeOf(client.append(stream, [event], 'no-stream'))),
        );
        expect(outcomes).toContain('appended');
        expect(outcomes.some((outcome) => outcome !== 'appended')).toBe(true);
        for (const [at, { stream, event }] of appends.entries()) {
          const read = await client.readStream(stream);
          if (outcomes[at] === 'appended') expect(idsOf(eventsOf(read))).toEqual([event.id]);
          else
            expect([read.kind, String(outcomes[at])]).toEqual(['not-found', expect.stringContaining('full')]);
        }
      });
    });
  });

  it('lets the store stop in good order, and start again once there is room', async () => {
    await withSmallDisk(4, async (disk) => {
      const data = join(disk.path, 'data');
      const events = newEvents(20);
      await withStore(data, async ({ process, client }) => {
        await client.append('s', events, 'no-stream');
        await disk.fill();
        await process.end('SIGTERM');
        expect(await process.ended).toMatchObject({ exitCode: 0, errors: '' });
      });
      await disk.empty();
      await withStore(data, async ({ client }) => {
        expect(await idsIn(client)).toEqual(idsOf(events));
      });
    });
  });

  it('that had no room for the copy of the write-ahead log has it made soon after there is', async () => {
    await withSmallDisk(20, async (disk) => {
      const data = join(disk.path, 'data');
      const file = join(data, 'events.db');
      const acknowledged: NewEvent[] = [];
      await withStore(data, async ({ process, client }) => {
        const append = async (): Promise<unknown> => {
          const event = large(900_000);
          const outcome = await outcomeOf(client.append('s', [event], 'any'));
          if (outcome === 'appended') acknowledged.push(event);
          return outcome;
        };
        while ((await append()) === 'appended');
        expect(acknowledged.length).toBeGreaterThan(16);
        expect(await idsIn(client)).toEqual(idsOf(acknowledged));
        await disk.grow(64);
        for (const _ of range(3)) expect(await append()).toBe('appended');
        expect((await stat(file)).size).toBeGreaterThan(16 * 1_048_576);
        await process.end('SIGKILL');
      });
      await withStore(data, async ({ client }) => {
        expect(await idsIn(client)).toEqual(idsOf(acknowledged));
      });
    });
  });
});

const expectGapless = (events: readonly RecordedEvent[]): void => {
  expect(events.map(({ revision }) => revision)).toEqual(range(events.length));
  for (const [at, { position }] of events.entries())
    if (at > 0) expect(position).toBeGreaterThan(events[at - 1]?.position ?? 0n);
};

describe('a failed sync', () => {
  /** Appends until the store is gone. Returns what was acknowledged. */
  const appendToTheEnd = async (client: ClientDriver, make: () => NewEvent): Promise<readonly NewEvent[]> => {
    const acknowledged: NewEvent[] = [];
    for (;;) {
      const event = make();
      if ((await outcomeOf(client.append('s', [event], 'any'))) !== 'appended') return acknowledged;
      acknowledged.push(event);
    }
  };

  /** Returns the ids that a subscriber was told of, and rests once the store is gone. */
  const heard = async (client: ClientDriver): Promise<readonly string[]> => {
    const ids: string[] = [];
    await following(client.subscribeToStream('s', 'start'), async (tape) => {
      await tape.untilCount(1_000_000).catch(() => undefined);
      ids.push(...tape.ids);
    });
    return ids;
  };

  const failAt = async (failing: number, make: () => NewEvent): Promise<string> =>
    withTemporaryDirectory(async (path) => {
      let file = '';
      const first = await withStore(path, async ({ process, client }) => {
        const before = newEvents(2);
        await client.append('s', before, 'no-stream');
        const traced = await TracedSyncs.attach(process.processId, failing);
        try {
          const told = heard(client);
          const acknowledged = [...before, ...(await appendToTheEnd(client, make))];
          expect(await process.ended).toMatchObject({
            signal: 'SIGKILL',
            errors: expect.stringMatching(
              /^longshore store: the log could not be brought to disk.*\n$/,
            ) as unknown,
          });
          const syncs = await traced.end();
          expect(syncs.map(({ hasFailed }) => hasFailed)).toEqual([
            ...range(failing - 1).map(() => false),
            true,
          ]);
          file = syncs.at(-1)?.file ?? '';
          const acknowledgedIds = idsOf(acknowledged);
          expect(acknowledgedIds.slice(0, (await told).length)).toEqual(await told);
          return acknowledgedIds;
        } finally {
          traced.stop();
        }
      });
      await withStore(path, async ({ client }) => {
        const after = await idsIn(client);
        expect(after.slice(0, first.length)).toEqual(first);
        // What was under way may be there too: its caller was told nothing.
        expect(after.length).toBeLessThanOrEqual(first.length + 1);
      });
      return file.replace(`${path}/`, '');
    });

  it.each([1, 2, 7])('ends the process, without another one: sync %i of an append', async (failing) => {
    expect(await failAt(failing, () => newEvent())).toBe('events.db-wal');
  });

  it('ends the process, without another one, while the log is copied into its file', async () => {
    // One sync for each append until the copy is due; that syncs the write-ahead log, and then the file.
    const files = [];
    for (const failing of await copyingSyncs()) files.push(await failAt(failing, () => large(900_000)));
    expect(files).toEqual(['events.db-wal', 'events.db']);
  });

  it('ends the process, without another one, while it stops', async () => {
    await withTemporaryDirectory(async (path) => {
      const events = newEvents(5);
      await withStore(path, async ({ process, client }) => {
        await client.append('s', events, 'no-stream');
        const traced = await TracedSyncs.attach(process.processId, 1);
        try {
          process.signal('SIGTERM');
          expect(await process.ended).toMatchObject({ signal: 'SIGKILL' });
          expect(await traced.end()).toEqual([{ file: `${path}/events.db-wal`, hasFailed: true }]);
        } finally {
          traced.stop();
        }
      });
      await withStore(path, async ({ client }) => {
        expect(await idsIn(client)).toEqual(idsOf(events));
      });
      expect(await readdir(path)).not.toContain('store.holder');
    });
  });

  /** Which syncs from the third event on copy the log into its file. */
  const copyingSyncs = async (): Promise<readonly number[]> =>
    withTemporaryDirectory((path) =>
      withStore(path, async ({ process, client }) => {
        await client.append('s', newEvents(2), 'no-stream');
        const traced = await TracedSyncs.attach(process.processId, 60_000);
        try {
          while (!traced.syncs.some(({ file }) => file.endsWith('events.db')))
            await client.append('s', [large(900_000)], 'any');
          const inFile = traced.syncs.findIndex(({ file }) => file.endsWith('events.db')) + 1;
          return [inFile - 1, inFile];
        } finally {
          traced.stop();
        }
      }),
    );
});
