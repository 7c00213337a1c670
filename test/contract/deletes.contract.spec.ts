import { describe, expect, test } from '@jest/globals';
import type { ExpectedRevision } from '../../src/embedded-store/stored-event.js';
import { describeStore } from '../kit/describe-store.js';
import {
  eventsOf,
  following,
  newEvents,
  positionOf,
  uniqueName,
  type DeleteExpectation,
} from '../kit/store-driver.js';

describeStore('a delete', (store, paths) => {
  const streamOf = async (count: number): Promise<string> => {
    const stream = uniqueName();
    await store().append(stream, newEvents(count), 'no-stream');
    return stream;
  };
  const deleted = async (count: number): Promise<string> => {
    const stream = await streamOf(count);
    await store().delete(stream, 'any');
    return stream;
  };
  const revisionsIn = async (stream: string) =>
    eventsOf(await store().readStream(stream)).map(({ revision }) => revision);

  test('makes the stream be not found', async () => {
    const stream = await deleted(3);
    expect(await store().readStream(stream)).toEqual({ kind: 'not-found' });
    expect(await store().readStream(stream, { direction: 'backwards' })).toEqual({ kind: 'not-found' });
  });

  test('returns its position', async () => {
    const stream = uniqueName();
    const before = positionOf(await store().append(stream, newEvents(1), 'any'));
    const outcome = await store().delete(stream, 0);
    if (outcome.kind !== 'deleted-now') throw new Error(outcome.kind);
    expect(outcome.position).toBeGreaterThan(before);
  });

  test.each<[DeleteExpectation, object]>([
    [1, { kind: 'deleted-now' }],
    ['any', { kind: 'deleted-now' }],
    [0, { kind: 'conflict', expected: 0, actual: 1 }],
    [7, { kind: 'conflict', expected: 7, actual: 1 }],
    ['no-stream', { kind: 'conflict', expected: 'no-stream', actual: 1 }],
  ])('expecting %s of a stream at revision 1', async (expected, outcome) => {
    const stream = await streamOf(2);
    expect(await store().delete(stream, expected)).toMatchObject(outcome);
    expect((await store().readStream(stream)).kind).toBe('actual' in outcome ? 'events' : 'not-found');
  });

  describe.each(paths)('lets the stream begin again, by the %s path,', (path) => {
    test.each<ExpectedRevision>(['no-stream', 'any', 2])(
      'expecting %s, and numbering goes on',
      async (expected) => {
        const stream = await deleted(3);
        expect(await store().append(stream, newEvents(2), expected, path)).toMatchObject({ revision: 4 });
        expect(await revisionsIn(stream)).toEqual([3, 4]);
      },
    );

    test('but not expecting an earlier revision', async () => {
      const stream = await deleted(3);
      expect(await store().append(stream, newEvents(1), 0, path)).toMatchObject({
        kind: 'conflict',
        actual: 2,
      });
      expect(await store().readStream(stream)).toEqual({ kind: 'not-found' });
    });

    test('but not expecting that it exists', async () => {
      const stream = await deleted(3);
      expect(await store().append(stream, newEvents(1), 'stream-exists', path)).toEqual({ kind: 'deleted' });
    });
  });

  test('can be made again once the stream has begun again', async () => {
    const stream = await deleted(2);
    await store().append(stream, newEvents(1), 'no-stream');
    await store().delete(stream, 2);
    expect(await store().readStream(stream)).toEqual({ kind: 'not-found' });
    await store().append(stream, newEvents(1), 'no-stream');
    expect(await revisionsIn(stream)).toEqual([3]);
  });

  test('is not undone by setting metadata: what it hid stays hidden', async () => {
    const stream = await deleted(3);
    await store().setMetadata(stream, { owner: 'ops' });
    const read = await store().readStream(stream);
    expect(read.kind === 'events' ? read.events : []).toEqual([]);
    await store().append(stream, newEvents(1), 2);
    expect(await revisionsIn(stream)).toEqual([3]);
  });

  test('leaves nothing of the limits the stream had', async () => {
    const stream = await streamOf(3);
    await store().setMetadata(stream, { $maxCount: 1 });
    await store().delete(stream, 'any');
    await store().append(stream, newEvents(3), 'no-stream');
    expect(await revisionsIn(stream)).toEqual([3, 4, 5]);
  });

  test('hides nothing in $all', async () => {
    const stream = uniqueName();
    const from = positionOf(await store().append(stream, newEvents(1), 'any'));
    await store().delete(stream, 'any');
    const [event] = await store().readAll({ direction: 'forwards', from, maxCount: 1 });
    expect(event?.stream).toBe(stream);
  });
});

describeStore('a tombstone', (store, paths) => {
  const tombstoned = async (): Promise<string> => {
    const stream = uniqueName();
    await store().append(stream, newEvents(2), 'no-stream');
    await store().tombstone(stream, 1);
    return stream;
  };

  test('ends reads, both ways', async () => {
    const stream = await tombstoned();
    expect(await store().readStream(stream)).toEqual({ kind: 'deleted' });
    expect(await store().readStream(stream, { direction: 'backwards' })).toEqual({ kind: 'deleted' });
  });

  describe.each(paths)('by the %s path', (path) => {
    test.each<ExpectedRevision>(['any', 'no-stream', 'stream-exists', 0, 1])(
      'refuses appends that expect %s',
      async (expected) => {
        const stream = await tombstoned();
        expect(await store().append(stream, newEvents(1), expected, path)).toEqual({ kind: 'deleted' });
      },
    );
  });

  test('refuses to be made or deleted once more', async () => {
    const stream = await tombstoned();
    expect(await store().tombstone(stream, 'any')).toEqual({ kind: 'deleted' });
    expect(await store().delete(stream, 'any')).toEqual({ kind: 'deleted' });
  });

  test('can be set on a stream that never was', async () => {
    const stream = uniqueName();
    expect(await store().tombstone(stream, 'no-stream')).toMatchObject({ kind: 'deleted-now' });
    expect(await store().readStream(stream)).toEqual({ kind: 'deleted' });
  });

  test('can be set on a deleted stream', async () => {
    const stream = uniqueName();
    await store().append(stream, newEvents(1), 'any');
    await store().delete(stream, 'any');
    expect(await store().tombstone(stream, 'any')).toMatchObject({ kind: 'deleted-now' });
    expect(await store().append(stream, newEvents(1), 'any')).toEqual({ kind: 'deleted' });
  });

  test('is not set where another revision is expected', async () => {
    const stream = uniqueName();
    await store().append(stream, newEvents(2), 'no-stream');
    expect(await store().tombstone(stream, 0)).toMatchObject({ kind: 'conflict', actual: 1 });
    expect(eventsOf(await store().readStream(stream))).toHaveLength(2);
  });

  test('stands in $all as a system event', async () => {
    const stream = await tombstoned();
    const events = await store().readAll({ direction: 'backwards', from: 'end', maxCount: 50 }).catch(String);
    expect(events).toContainEqual(expect.objectContaining({ stream, type: '$streamDeleted' }));
  });

  test('ends subscriptions to the stream with that error', async () => {
    const stream = uniqueName();
    await store().append(stream, newEvents(1), 'any');
    await following(store().subscribeToStream(stream, 'start'), async (tape) => {
      await tape.untilKind('caught-up');
      await store().tombstone(stream, 'any');
      await expect(tape.untilCount(2)).rejects.toThrow(/deleted/);
    });
  });
});
