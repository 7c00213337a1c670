import { brotliCompressSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import {
  chunkEvent,
  sha256,
  snapshotHash,
  type SnapshotTitle,
} from '../../../src/aggregate/snapshot-chunk.js';
import { contentsOf } from '../../../src/aggregate/snapshot-content.js';
import { snapshotOf } from '../../../src/core/tracker/snapshot.js';
import { isObject } from '../../../src/event-store/event-metadata.js';
import type { JsonValue, RecordedEvent } from '../../../src/event-store/event-store.js';
import { plainState } from '../../kit/plain-state.js';
import { snapshotStream, SnapshotWorld } from '../../kit/snapshot-world.js';

type Chunks = readonly RecordedEvent[];
type Label = Record<string, JsonValue | undefined>;

const labelOf = ({ metadata }: RecordedEvent): Label => (isObject(metadata) ? { ...metadata } : {});

const contentOf = ({ data }: RecordedEvent): Uint8Array => {
  if (data instanceof Uint8Array) return data;
  throw new Error('a chunk is bytes');
};

/** Changes one of the chunks. */
const only = (at: number, change: (chunk: RecordedEvent, all: Chunks) => RecordedEvent) => (chunks: Chunks) =>
  chunks.map((chunk, index) => (index === at ? change(chunk, chunks) : chunk));

const labelled = (more: Label) => (chunk: RecordedEvent) => ({
  ...chunk,
  metadata: { ...labelOf(chunk), ...more },
});

const each = (change: (chunk: RecordedEvent) => RecordedEvent) => (chunks: Chunks) => chunks.map(change);

const swapped = ([first, second, ...rest]: Chunks): Chunks =>
  first && second ? [second, first, ...rest] : rest;

/** A snapshot of four chunks, changed so, is skipped, and that is said of it. */
const spoilt: readonly (readonly [what: string, change: (chunks: Chunks) => Chunks, reason: string])[] = [
  [
    'a byte of its content is another',
    only(1, (chunk) => ({
      ...chunk,
      data: contentOf(chunk).map((byte, at) => (at === 9 ? byte ^ 1 : byte)),
    })),
    'has other content than was written',
  ],
  [
    'its content is cut short',
    only(3, (chunk) => ({ ...chunk, data: contentOf(chunk).slice(0, -1) })),
    'has other content than was written',
  ],
  [
    'a chunk has the content of another, and the hash of that',
    only(1, (chunk, [first = chunk]) => ({
      ...labelled({ contentHash: labelOf(first)['contentHash'] })(chunk),
      data: contentOf(first),
    })),
    'its chunks are not those that were written',
  ],
  [
    'a chunk has the wrong number',
    only(1, labelled({ index: 2 })),
    'where its chunk 1 should be, its chunk 2 is',
  ],
  ['its first chunk is missing', (chunks) => chunks.slice(1), 'chunk 0 is missing'],
  [
    'a chunk amid is missing',
    (chunks) => chunks.filter((_, at) => at !== 2),
    'where its chunk 2 should be, its chunk 1 is',
  ],
  ['its last chunk is missing', (chunks) => chunks.slice(0, -1), 'it was not finished'],
  [
    'a chunk is there twice',
    (chunks) => chunks.flatMap((chunk, at) => (at === 2 ? [chunk, chunk] : [chunk])),
    'where its chunk 1 should be, its chunk 2 is',
  ],
  ['its chunks are out of order', swapped, 'where its chunk 1 should be, its chunk 0 is'],
  ['it is of a format that is not known', each(labelled({ format: 2 })), 'is of format 2'],
  ['a chunk is of another format', only(0, labelled({ format: '1' })), 'is of format "1"'],
  ['a chunk is an event of another type', only(2, (chunk) => ({ ...chunk, type: 'x.v1' })), 'is a x.v1'],
  ['a chunk is JSON', only(1, (chunk) => ({ ...chunk, data: { a: 1 } })), 'is no chunk of a snapshot'],
  ['a number is none', only(1, labelled({ index: '1' })), 'is no chunk of a snapshot'],
  ['its end says nothing', only(3, labelled({ end: { count: 4 } })), 'is no chunk of a snapshot'],
  [
    'its end counts another number',
    only(3, labelled({ end: { count: 5, hash: '' } })),
    'its chunk 3 is the last of 5',
  ],
  [
    'a chunk amid says it is the end',
    only(1, labelled({ end: { count: 2, hash: '' } })),
    'its chunk 1 says it is the last',
  ],
  ['a chunk is of another state', only(2, labelled({ revision: 1 })), 'its chunk 2 is of another state'],
  ['a chunk is of another log', only(2, labelled({ chainHash: '' })), 'its chunk 2 is of another state'],
  ['it names another state', each(labelled({ revision: 1 })), 'its chunks are not those that were written'],
  ['it names another log', each(labelled({ chainHash: '' })), 'its chunks are not those that were written'],
];

/** The state is that of the whole log, and of what it was made is as expected: of the log alone at -1. */
const expectRecovered = async (world: SnapshotWorld, snapshotRevision: number): Promise<void> => {
  const recovered = await world.recover();
  expect(recovered.snapshotRevision).toBe(snapshotRevision);
  const whole = plainState(world.foldTo(world.revision));
  expect(plainState(recovered.durable.state)).toStrictEqual(whole);
  expect(plainState(recovered.speculative)).toStrictEqual(whole);
  expect(recovered.durable.hash).toBe(world.hashAt(world.revision));
};

const eightLong = ['job-1', 'job-2', 'job-3', 'job-4', 'job-5', 'job-6', 'job-7', 'job-8'];

/** Snapshots at revisions 2 and 10, the newer of four chunks, and one event more. */
const withTwo = async (test: (world: SnapshotWorld) => Promise<void>): Promise<void> =>
  SnapshotWorld.with(async (world) => {
    await world.submit('job-0');
    await world.snapshotAt(2);
    await world.submitLong(...eightLong);
    await world.snapshotAt(10);
    await world.submit('job-9');
    expect((await world.chunks()).map((chunk) => labelOf(chunk)['index'])).toEqual([0, 0, 1, 2, 3]);
    await test(world);
  });

describe('the newest snapshot that is complete and verifies counts (P5)', () => {
  test('which is the newest, if it does', () =>
    withTwo(async (world) => {
      await expectRecovered(world, 10);
      expect(world.logged).toEqual([]);
    }));

  test('and the log alone, if there is none', () =>
    SnapshotWorld.with(async (world) => {
      await world.submit('job-1');
      await expectRecovered(world, -1);
      expect(world.logged).toEqual([]);
    }));

  test.each(spoilt)('and not one of which %s', (_, change, reason) =>
    withTwo(async (world) => {
      await world.rewrite(([older, ...newer]) => [...(older ? [older] : []), ...change(newer)]);
      await expectRecovered(world, 2);
      expect(world.logged).toMatchObject([{ message: expect.stringContaining(reason) }]);
    }),
  );

  test('and not one of which a chunk does not say what it is', () =>
    withTwo(async (world) => {
      await world.rewrite((chunks) =>
        chunks.map((chunk, at) => (at === 3 ? { ...chunk, metadata: [] } : chunk)),
      );
      await expectRecovered(world, 2);
      expect(world.logged[0]?.message).toContain('is of format undefined');
    }));

  test('and the log alone, if none of them does', () =>
    withTwo(async (world) => {
      await world.rewrite(each((chunk) => ({ ...chunk, data: Buffer.from('nothing') })));
      await expectRecovered(world, -1);
      expect(world.logged.map(({ level }) => level)).toEqual(['warn', 'warn']);
    }));
});

describe('a snapshot that stands as it was written is skipped', () => {
  /** Appends chunks of these contents, with everything right that can be told without looking into them. */
  const append = async (
    world: SnapshotWorld,
    of: Partial<SnapshotTitle>,
    contents: readonly Uint8Array[],
  ) => {
    const { runtime, store } = world;
    const title = { snapshotId: 'made', revision: 2, chainHash: world.hashAt(of.revision ?? 2), ...of };
    const hashes = contents.map(sha256);
    const chunks = contents.map((content, index) => {
      const isLast = index === contents.length - 1;
      const end = isLast ? { count: contents.length, hash: snapshotHash(title, hashes) } : undefined;
      return chunkEvent(runtime.newId(), { ...title, index, contentHash: sha256(content), end }, content);
    });
    await store.append(snapshotStream, chunks, { expectedRevision: 'any' });
  };

  const withOne = async (test: (world: SnapshotWorld) => Promise<void>): Promise<void> =>
    SnapshotWorld.with(async (world) => {
      await world.snapshotAt(1);
      await world.submit('job-1', 'job-2');
      await test(world);
      await expectRecovered(world, 1);
      expect(world.logged).toMatchObject([{ level: 'warn', message: expect.stringContaining('is skipped') }]);
    });

  test('if its records make no state', () =>
    withOne(async (world) => {
      const records = [...snapshotOf(world.foldTo(2))];
      await append(world, {}, [...contentsOf(records.slice(0, -1))]);
    }));

  test('if its state is another than it says', () =>
    withOne((world) => append(world, { revision: 3 }, [...contentsOf(snapshotOf(world.foldTo(2)))])));

  test('if it ends amid a record', () =>
    withOne(async (world) => {
      const text = `${JSON.stringify([...snapshotOf(world.foldTo(2))])}\n`;
      await append(world, {}, [brotliCompressSync(text.slice(0, -5))]);
    }));

  test.each([
    ['is not packed', Buffer.from('[]\n')],
    ['is no JSON', brotliCompressSync('nothing\n')],
    ['is no list of records', brotliCompressSync('[null]\n')],
    ['is more than a piece may be', brotliCompressSync(Buffer.alloc(300 * 1_024, '\n'))],
  ])('if its content %s', (_, content) => withOne((world) => append(world, {}, [content])));

  test('if it is of another log', () =>
    withOne((world) =>
      append(world, { chainHash: '1'.repeat(64) }, [...contentsOf(snapshotOf(world.foldTo(2)))]),
    ));

  test('if it is of another log that ended there', () =>
    withOne((world) =>
      append(world, { revision: 3, chainHash: '1'.repeat(64) }, [...contentsOf(snapshotOf(world.foldTo(3)))]),
    ));

  test('if it is of nothing', () =>
    withOne((world) =>
      append(world, { revision: -1, chainHash: '0'.repeat(64) }, [
        ...contentsOf(snapshotOf(world.foldTo(-1))),
      ]),
    ));

  test('if it is ahead of the log', () =>
    withOne(async (world) => {
      const state = world.foldTo(3);
      state.revision = 4;
      await append(world, { revision: 4, chainHash: '1'.repeat(64) }, [...contentsOf(snapshotOf(state))]);
    }));
});
