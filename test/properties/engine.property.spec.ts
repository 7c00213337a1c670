import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { withTemporaryDirectory } from '../kit/temporary-directory.js';
import { EngineDriver } from '../kit/engine-driver.js';
import { eventsOf, type Written } from '../kit/store-driver.js';

/** Few ids and few streams, so that repetitions and conflicts are as frequent as appends. */
const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const appends = fc.array(
  fc.record({
    stream: fc.constantFrom('a', 'b'),
    ids: fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 4 }),
    expected: fc.oneof(fc.constant('no-stream' as const), fc.integer({ min: 0, max: 6 })),
  }),
  { maxLength: 30 },
);

/** What a stream means where it expects exact revisions: a list that grows, or stays as it is. */
class ModelStream {
  readonly ids: string[] = [];

  append(ids: readonly string[], expected: number | 'no-stream'): object {
    const at = expected === 'no-stream' ? 0 : expected + 1;
    const actual = this.ids.length === 0 ? 'no-stream' : this.ids.length - 1;
    if (at === this.ids.length) this.ids.push(...ids);
    else if (!ids.every((id, offset) => this.ids[at + offset] === id)) return { kind: 'conflict', actual };
    return { kind: 'appended', revision: at + ids.length - 1 };
  }
}

test('any history of appends leaves the streams of a simple list, also after a restart', async () => {
  await withTemporaryDirectory(async (directory) => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(appends, async (history) => {
        run += 1;
        const path = `${directory}/${run}`;
        const model = new Map(['a', 'b'].map((name) => [name, new ModelStream()]));
        const store = EngineDriver.open(path);
        for (const { stream, ids, expected } of history) {
          const events = ids.map((id) => ({ id: idOf(id), type: 't', data: id }));
          const written: Written = await store.append(stream, events, expected);
          expect(written).toMatchObject(model.get(stream)?.append(ids.map(idOf), expected) ?? {});
        }
        await store.stop();
        const again = EngineDriver.open(path);
        for (const [name, { ids }] of model) {
          const read = await again.readStream(name);
          expect(read.kind === 'not-found' ? [] : eventsOf(read).map(({ id }) => id)).toEqual(ids);
        }
        await again.stop();
      }),
      { numRuns: 40 },
    );
  });
});
