import { expect, test } from '@jest/globals';
import { EngineDriver } from '../../kit/engine-driver.js';
import { eventsOf, newEvents, positionOf } from '../../kit/store-driver.js';
import { withTemporaryDirectory } from '../../kit/temporary-directory.js';

/** Three events of which the first two are erased. */
const withErased = async (
  test: (store: EngineDriver, ids: readonly string[], position: bigint) => Promise<void>,
): Promise<void> =>
  withTemporaryDirectory(async (path) => {
    const store = EngineDriver.open(path);
    try {
      const events = newEvents(3);
      const position = positionOf(await store.append('s', events, 'no-stream'));
      await store.setMetadata('s', { $maxCount: 1 });
      await store.engine.scavenge();
      await test(
        store,
        events.map(({ id }) => id),
        position,
      );
    } finally {
      await store.stop();
    }
  });

const eventWith = (id = '') => newEvents(1, { id });

test('what a limit hides is erased, also from $all, and the newest event stays', async () => {
  await withErased(async (store, _, position) => {
    const from = position - 2n;
    const all = await store.readAll({ direction: 'forwards', from, maxCount: 10 });
    expect(all.filter(({ stream }) => stream === 's').map(({ revision }) => revision)).toEqual([2]);
    expect(eventsOf(await store.readStream('s')).map(({ revision }) => revision)).toEqual([2]);
  });
});

test('numbering goes on after an erased history', async () => {
  await withErased(async (store) => {
    expect(await store.append('s', newEvents(1), 'no-stream')).toMatchObject({ kind: 'conflict', actual: 2 });
    expect(await store.append('s', newEvents(1), 2)).toMatchObject({ revision: 3 });
  });
});

test('an append whose events were erased is still recognised as repeated', async () => {
  await withErased(async (store, [first]) => {
    expect(await store.append('s', eventWith(first), 'no-stream')).toMatchObject({ revision: 0 });
  });
});

test('an id that stands after an erased place is no repetition at that place', async () => {
  await withErased(async (store, [, , third]) => {
    expect(await store.append('s', eventWith(third), 'no-stream')).toMatchObject({
      kind: 'conflict',
      actual: 2,
    });
    expect(await store.append('s', eventWith(third), 0)).toMatchObject({ kind: 'conflict', actual: 2 });
  });
});

test('a delete that expects the stream to exist is refused where it was deleted', async () => {
  await withErased(async ({ engine }) => {
    const request = { stream: 's', expectedRevision: 'stream-exists' } as const;
    expect(await engine.delete(request)).toMatchObject({ kind: 'appended' });
    expect(await engine.delete(request)).toEqual({ kind: 'tombstoned' });
  });
});
