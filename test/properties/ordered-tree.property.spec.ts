import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { OrderedTree } from '../../src/core/placement/ordered-tree.js';

interface Item {
  readonly key: number;
  readonly weight: number;
}

const byKey = (one: Item, other: Item): number => one.key - other.key;
const weightOf = ({ weight }: Item): number => weight;

/** Few keys, so that items are as often there as not. */
const steps = fc.array(
  fc.record({
    does: fc.constantFrom('insert', 'insert', 'remove'),
    key: fc.integer({ min: 0, max: 60 }),
    weight: fc.integer({ min: 1, max: 9 }),
  }),
  { maxLength: 300 },
);

test('an ordered tree answers as a sorted list would, after any history', () => {
  fc.assert(
    fc.property(
      steps,
      fc.integer({ min: 0, max: 10 }),
      fc.integer({ min: -1, max: 61 }),
      (history, most, from) => {
        const tree = new OrderedTree(byKey, weightOf);
        let list: Item[] = [];
        for (const { does, key, weight } of history) {
          const known = list.find((item) => item.key === key);
          if (does === 'remove') {
            expect(tree.remove(known ?? { key, weight })).toBe(known !== undefined);
            list = list.filter((item) => item !== known);
          } else if (!known) {
            const item = { key, weight };
            tree.insert(item);
            list = [...list, item].sort(byKey);
          }
        }
        expect([...tree]).toEqual(list);
        expect(tree.count).toBe(list.length);
        expect(tree.weightMin).toBe(Math.min(Infinity, ...list.map(weightOf)));
        expect(tree.first()).toBe(list[0]);
        expect(tree.first(most)).toBe(list.find(({ weight }) => weight <= most));
        const isAfter = ({ key }: Item): boolean => key > from;
        expect(tree.firstAfter({ key: from, weight: 1 })).toBe(list.find(isAfter));
        expect(tree.firstAfter({ key: from, weight: 1 }, most)).toBe(
          list.find((item) => isAfter(item) && item.weight <= most),
        );
        expect(tree.countWhile(({ key }) => key <= from)).toBe(list.filter((item) => !isAfter(item)).length);
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  ['ascending', (place: number) => place],
  ['descending', (place: number) => -place],
  ['scattered', (place: number) => (place * 7_919) % 20_011],
])('a tree of items that come in %s order stays in balance', (_name, keyAt) => {
  const tree = new OrderedTree(byKey, weightOf);
  const count = 20_000;
  for (let place = 0; place < count; place += 1) tree.insert({ key: keyAt(place), weight: 1 });
  for (let place = 0; place < count; place += 3) tree.remove({ key: keyAt(place), weight: 1 });
  const looksFor = (key: number): number => {
    let looks = 0;
    tree.countWhile((item) => {
      looks += 1;
      return item.key <= key;
    });
    return looks;
  };
  const most = Math.max(...Array.from({ length: count }, (_, place) => looksFor(keyAt(place))));
  expect(most).toBeLessThan(2 * Math.log2(count));
});
