import { expect, test } from '@jest/globals';
import { RecentIds } from '../../../src/embedded-store/recent-ids.js';

const filled = (count: number, addedCount: number): RecentIds => {
  const recent = new RecentIds(count);
  for (let at = 0; at < addedCount; at += 1) recent.add(`id-${at}`, 1, at);
  return recent;
};

const knownOf = (recent: RecentIds, addedCount: number): readonly number[] =>
  Array.from({ length: addedCount }, (_, at) => at).filter(
    (at) => recent.revisionOf(`id-${at}`, 1) !== undefined,
  );

test.each([1, 9, 10, 11, 19, 20, 35])(
  'of %d ids the newest ten are known, and no more than twenty',
  (added) => {
    const known = knownOf(filled(10, added), added);
    expect(known).toEqual(expect.arrayContaining(knownOf(filled(100, added), added).slice(-9)));
    expect(known.length).toBeLessThanOrEqual(20);
    expect(known.at(-1)).toBe(added - 1);
  },
);

test('an id is known in its own stream alone', () => {
  const recent = new RecentIds(10);
  recent.add('a', 1, 5);
  expect([recent.revisionOf('a', 1), recent.revisionOf('a', 2)]).toEqual([5, undefined]);
});

test('the newest place of an id counts', () => {
  const recent = new RecentIds(10);
  recent.add('a', 1, 5);
  recent.add('a', 1, 6);
  expect(recent.revisionOf('a', 1)).toBe(6);
});

test('an id whose transaction was rolled back is forgotten, however old', () => {
  const recent = filled(3, 5);
  recent.remove('id-1');
  recent.remove('id-4');
  expect(knownOf(recent, 5)).toEqual([0, 2, 3]);
});
