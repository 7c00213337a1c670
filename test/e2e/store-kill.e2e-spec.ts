import { afterEach, describe, expect, it } from '@jest/globals';
import type { NewEvent, RecordedEvent } from '../../src/event-store/event-store.js';
import type { ClientDriver } from '../kit/client-driver.js';
import { withStore } from '../kit/running-store.js';
import { following, newEvent, newEvents, range } from '../kit/store-driver.js';
import { StoreProcess } from '../kit/store-process.js';
import { withTemporaryDirectory } from '../kit/temporary-directory.js';

/** How often the store is killed in each test. `npm run test:kill` asks for more than this. @default 3 */
const rounds = Number(process.env['LONGSHORE_KILL_ROUNDS'] ?? 3);
const timeoutMs = 60_000 + rounds * 15_000;

const writersCount = 32;

/** Calls by which start and stop change files, those first that leave the most behind when they are not made. */
const changes: readonly (readonly [string, number])[] = [
  ...[1, 3, 4, 2, 5].map((ordinal) => ['unlink', ordinal] as const),
  ...[4, 7, 3, 6, 1, 2, 5, 8].map((ordinal) => ['fsync', ordinal] as const),
  ...[7, 14, 2, 3, 5, 8, 9, 11, 12, 13].map((ordinal) => ['pwrite64', ordinal] as const),
  ['ftruncate', 1],
];

afterEach(() => StoreProcess.endAll());

interface Append {
  readonly stream: string;
  readonly events: readonly NewEvent[];
}

/** What was asked of the store and what it acknowledged, over all rounds. */
interface History {
  readonly tried: Append[];
  readonly acknowledged: Append[];
}

const allEvents = (client: ClientDriver): Promise<readonly RecordedEvent[]> =>
  client.readAll({ direction: 'forwards', from: 'start', maxCount: Number.MAX_SAFE_INTEGER });

const revisionsByStream = (events: readonly RecordedEvent[]): ReadonlyMap<string, readonly number[]> => {
  const revisions = new Map<string, number[]>();
  for (const { stream, revision } of events) {
    const known = revisions.get(stream);
    if (known) known.push(revision);
    else revisions.set(stream, [revision]);
  }
  return revisions;
};

/** Everything that must hold of a log, whenever its process was killed. */
const expectWhole = (events: readonly RecordedEvent[], { tried, acknowledged }: History): void => {
  const ids = new Set(events.map(({ id }) => id));
  const standing = ({ events }: Append): number => events.filter(({ id }) => ids.has(id)).length;
  expect(acknowledged.filter((append) => standing(append) < append.events.length)).toEqual([]);
  const isTorn = (append: Append) => ![0, append.events.length].includes(standing(append));
  expect(tried.filter(isTorn)).toEqual([]);
  expect(ids.size).toBe(events.length);

  const positions = events.map(({ position }) => position);
  expect(positions.filter((position, at) => at > 0 && position <= (positions[at - 1] ?? 0n))).toEqual([]);
  for (const [stream, revisions] of revisionsByStream(events))
    expect([stream, revisions]).toEqual([stream, range(revisions.length)]);
};

/** Appends of one to five events, one after the other, until the store is gone. */
const write = async (
  client: ClientDriver,
  writer: number,
  next: number,
  bytes: number,
  history: History,
  onAcknowledged: () => void,
): Promise<void> => {
  const stream = `writer-${writer}`;
  for (let revision = next; ;) {
    const count = 1 + ((writer + revision) % 5);
    const events = range(count).map(() => newEvent({ data: { padding: 'x'.repeat(bytes / count) } }));
    history.tried.push({ stream, events });
    const expected = writer % 2 === 0 ? 'any' : revision === 0 ? 'no-stream' : revision - 1;
    const path = writer % 4 < 2 ? 'batch' : 'unary';
    const written = await client.append(stream, events, expected, path).catch(() => undefined);
    if (written === undefined) return;
    expect(written).toMatchObject({ kind: 'appended', revision: revision + count - 1 });
    history.acknowledged.push({ stream, events });
    revision += count;
    onAcknowledged();
  }
};

describe(`a store that is killed ${rounds} times`, () => {
  it(
    'under 32 writers loses no acknowledged event, tears no append, and numbers without gaps',
    async () => {
      await withTemporaryDirectory(async (path) => {
        const history: History = { tried: [], acknowledged: [] };
        for (const round of range(rounds)) {
          await withStore(path, async ({ process, client }) => {
            const events = await allEvents(client);
            expectWhole(events, history);
            const revisions = revisionsByStream(events);
            // Every third round has appends so large that the write-ahead log is copied while it writes.
            const bytes = round % 3 === 2 ? 40_000 : 500;
            let left = 60 + ((round * 97) % 300);
            const onAcknowledged = () => {
              left -= 1;
              if (left === 0) process.signal('SIGKILL');
            };
            await Promise.all(
              range(writersCount).map((writer) => {
                const next = revisions.get(`writer-${writer}`)?.length ?? 0;
                return write(client, writer, next, bytes, history, onAcknowledged);
              }),
            );
            expect(await process.ended).toMatchObject({ signal: 'SIGKILL', errors: '' });
          });
        }
        await withStore(path, async ({ client }) => expectWhole(await allEvents(client), history));
        expect(history.acknowledged.length).toBeGreaterThan(rounds * 50);
      });
    },
    timeoutMs,
  );

  it(
    'at the moment a subscriber or a reader saw an event has it afterwards',
    async () => {
      await withTemporaryDirectory(async (path) => {
        const seen = new Set<string>();
        for (const round of range(rounds)) {
          await withStore(path, async ({ process, client }) => {
            const ids = (await allEvents(client)).map(({ id }) => id);
            expect([...seen].filter((id) => !ids.includes(id))).toEqual([]);
            await following(client.subscribeToAll({ after: 'end' }), async (tape) => {
              await tape.untilKind('caught-up');
              const appends = range(1 + (round % 8)).map((at) =>
                client.append(`s-${at}`, newEvents(2), 'any').catch(() => undefined),
              );
              // Nobody waits for the acknowledgement: the subscriber is told by the same sync.
              await tape.untilKind('event');
              process.signal('SIGKILL');
              await tape.untilCount(1_000_000).catch(() => undefined);
              for (const id of tape.ids) seen.add(id);
              await Promise.all(appends);
            });
          });
        }
        await withStore(path, async ({ client }) => {
          const ids = (await allEvents(client)).map(({ id }) => id);
          expect([...seen].filter((id) => !ids.includes(id))).toEqual([]);
        });
        expect(seen.size).toBeGreaterThanOrEqual(rounds);
      });
    },
    timeoutMs,
  );

  it(
    'while it starts or stops can be started again, with everything',
    async () => {
      await withTemporaryDirectory(async (path) => {
        const events = newEvents(20);
        await withStore(path, ({ client }) => client.append('s', events, 'no-stream'));
        for (const round of range(rounds)) {
          const [call, ordinal] = changes[round % changes.length] ?? ['unlink', 1];
          await StoreProcess.killedAt(path, call, ordinal);
          await withStore(path, async ({ client }) => {
            const all = await allEvents(client);
            expect(all.filter(({ stream }) => stream === 's').map(({ id }) => id)).toEqual(
              events.map(({ id }) => id),
            );
          });
        }
      });
    },
    timeoutMs,
  );
});
