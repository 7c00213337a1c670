import { describe, expect, test } from '@jest/globals';
import { AppendConflict } from '../../../src/event-store/errors.js';
import { isObject } from '../../../src/event-store/event-metadata.js';
import type { RecordedEvent } from '../../../src/event-store/event-store.js';
import { snapshotStream, SnapshotWorld } from '../../kit/snapshot-world.js';

const seven = [1, 2, 3, 4, 5, 6, 7];

/** The log has 16 events, and a snapshot of it is so long that it takes two appends. One of its first events stands already. */
const withLong = async (test: (world: SnapshotWorld) => Promise<void>): Promise<void> =>
  SnapshotWorld.with(async (world) => {
    await world.snapshotAt(1);
    for (const group of ['a', 'b']) await world.submitLong(...seven.map((number) => `${group}-${number}`));
    await test(world);
  });

const titleOf = ({ metadata }: RecordedEvent): { readonly id: unknown; readonly revision: unknown } =>
  isObject(metadata)
    ? { id: metadata['snapshotId'], revision: metadata['revision'] }
    : { id: undefined, revision: undefined };

/** The revisions of the snapshots of which something stands, oldest first. */
const standing = async (world: SnapshotWorld): Promise<unknown[]> => {
  const titles = new Map((await world.chunks()).map((chunk) => [titleOf(chunk).id, titleOf(chunk).revision]));
  return [...titles.values()];
};

const recoveredFrom = async (world: SnapshotWorld): Promise<number> =>
  (await world.recover()).snapshotRevision;

describe('a snapshot of which only a part was written', () => {
  const interrupted = async (world: SnapshotWorld): Promise<void> => {
    world.store.holdOnly(snapshotStream);
    const writing = world.snapshotAt(15).catch((error: unknown) => error);
    await (await world.store.nextHeld()).pass();
    await (await world.store.nextHeld()).fail(new Error('its process is gone'));
    expect(await writing).toEqual(new Error('its process is gone'));
    await world.store.letGo();
  };

  test('never counts', () =>
    withLong(async (world) => {
      await interrupted(world);
      expect(await standing(world)).toEqual([1, 15]);
      expect(await recoveredFrom(world)).toBe(1);
      expect(world.logged).toMatchObject([
        { level: 'info', message: expect.stringContaining('it was not finished') },
      ]);
    }));

  test('is in the way of nobody, and leaves with those that are too old', () =>
    withLong(async (world) => {
      await interrupted(world);
      expect(await world.snapshotAt(14)).toMatchObject({ kind: 'written' });
      expect(await recoveredFrom(world)).toBe(14);
      expect(await standing(world)).toEqual([1, 15, 14]);
      expect(await world.snapshotAt(15)).toMatchObject({ kind: 'written' });
      expect(await standing(world)).toEqual([14, 15]);
    }));

  test('counts if only the answer to its last append was lost', () =>
    withLong(async (world) => {
      const writer = world.writer();
      world.store.holdOnly(snapshotStream);
      const writing = world.snapshotAt(15, writer).catch((error: unknown) => error);
      await (await world.store.nextHeld()).pass();
      await (await world.store.nextHeld()).fail(new Error('nobody answers'), { isWritten: true });
      expect(await writing).toEqual(new Error('nobody answers'));
      await world.store.letGo();
      expect(await recoveredFrom(world)).toBe(15);
      expect(await world.snapshotAt(14, writer)).toMatchObject({ kind: 'written' });
      expect(await standing(world)).toEqual([15, 14]);
    }));

  test('is not taken for one by its end alone', () =>
    withLong(async (world) => {
      await world.snapshotAt(15);
      await world.rewrite((chunks) => chunks.slice(2));
      expect(await recoveredFrom(world)).toBe(-1);
      expect(world.logged).toMatchObject([
        { message: expect.stringContaining('its first chunks are missing') },
      ]);
    }));
});

describe('of two that write at once', () => {
  test('the one that comes second gives up, and the other goes on', () =>
    withLong(async (world) => {
      world.store.holdOnly(snapshotStream);
      const first = world.snapshotAt(15);
      const firstChunks = await world.store.nextHeld();
      const second = world.snapshotAt(14);
      const secondChunks = await world.store.nextHeld();
      await firstChunks.pass();
      await secondChunks.pass();
      expect(await second).toMatchObject({ kind: 'abandoned', conflict: expect.any(AppendConflict) });
      await world.store.letGo();
      expect(await first).toMatchObject({ kind: 'written' });
      expect(await recoveredFrom(world)).toBe(15);
    }));

  test('the one that finds a beginning writes after it, and whoever began gives up', () =>
    withLong(async (world) => {
      const writer = world.writer();
      await world.snapshotAt(2, writer);
      world.store.holdOnly(snapshotStream);
      const first = world.snapshotAt(15, writer);
      await (await world.store.nextHeld()).pass();
      const rest = await world.store.nextHeld();
      await world.store.letGo();
      expect(await world.snapshotAt(14)).toMatchObject({ kind: 'written' });
      await rest.pass();
      expect(await first).toMatchObject({ kind: 'abandoned' });
      expect(await recoveredFrom(world)).toBe(14);
      // It knows again where the stream ends.
      expect(await world.snapshotAt(15, writer)).toMatchObject({ kind: 'written' });
      expect(await recoveredFrom(world)).toBe(15);
    }));

  test('none counts whose chunks stand between those of the other', () =>
    withLong(async (world) => {
      await world.snapshotAt(14);
      await world.snapshotAt(15);
      const ofRevision = (chunks: readonly RecordedEvent[], revision: number): RecordedEvent[] =>
        chunks.filter((chunk) => titleOf(chunk).revision === revision);
      await world.rewrite((chunks) => {
        const one = ofRevision(chunks, 14);
        return ofRevision(chunks, 15).flatMap((chunk, at) => [chunk, ...one.slice(at, at + 1)]);
      });
      expect(await standing(world)).toEqual([15, 14]);
      expect(await recoveredFrom(world)).toBe(-1);
    }));
});

describe('the newest two stand, and what is older leaves', () => {
  test('once a newer one is complete, and not before', () =>
    withLong(async (world) => {
      const writer = world.writer();
      await world.snapshotAt(2, writer);
      expect(await standing(world)).toEqual([1, 2]);
      world.store.holdOnly(snapshotStream);
      const writing = world.snapshotAt(15, writer);
      await (await world.store.nextHeld()).pass();
      const rest = await world.store.nextHeld();
      expect(await standing(world)).toEqual([1, 2, 15]);
      await rest.pass();
      await writing;
      expect(await standing(world)).toEqual([2, 15]);
    }));

  test('and the one before stays whole', () =>
    withLong(async (world) => {
      const writer = world.writer();
      await world.snapshotAt(15, writer);
      await world.snapshotAt(2, writer);
      await world.rewrite((chunks) => chunks.filter((chunk) => titleOf(chunk).revision === 15));
      expect(await recoveredFrom(world)).toBe(15);
    }));

  test('also those of a process before', () =>
    withLong(async (world) => {
      for (const revision of [2, 3, 4]) await world.snapshotAt(revision);
      expect(await standing(world)).toEqual([3, 4]);
    }));

  test('but one that does not verify is none of the two', () =>
    withLong(async (world) => {
      await world.snapshotAt(2);
      await world.rewrite(([first, second]) =>
        first && second ? [first, { ...second, data: Buffer.from('nothing') }] : [],
      );
      await world.snapshotAt(3);
      expect(await standing(world)).toEqual([1, 2, 3]);
      await world.rewrite((chunks) => chunks.slice(0, -1));
      expect(await recoveredFrom(world)).toBe(1);
    }));

  test('and a stream that cannot be cut off costs nothing but room', () =>
    withLong(async (world) => {
      const writer = world.writer();
      await world.snapshotAt(2, writer);
      const refusal = new Error('no access');
      const { setStreamLimits } = world.store;
      Object.assign(world.store, { setStreamLimits: async () => Promise.reject(refusal) });
      await expect(world.snapshotAt(3, writer)).rejects.toBe(refusal);
      expect(await recoveredFrom(world)).toBe(3);
      Object.assign(world.store, { setStreamLimits });
      await world.snapshotAt(4, writer);
      expect(await standing(world)).toEqual([3, 4]);
    }));
});
