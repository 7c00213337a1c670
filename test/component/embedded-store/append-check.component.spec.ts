import { expect, test } from '@jest/globals';
import { checkAppend, type AppendCheck } from '../../../src/embedded-store/append-check.js';
import type { ExpectedRevision } from '../../../src/embedded-store/stored-event.js';

type Kind = 'missing' | 'standing' | 'deleted' | 'tombstoned' | 'only metadata';

const repeated = (lastRevision: number): AppendCheck => ({ kind: 'repeated', lastRevision });
const write: AppendCheck = { kind: 'write' };
const conflict: AppendCheck = { kind: 'conflict' };
const tombstoned: AppendCheck = { kind: 'tombstoned' };

/** A stream that holds a, b, c at revisions 0, 1, 2, of which none is erased. */
const stored = ['a', 'b', 'c'];

const check = (
  kind: Kind,
  expected: ExpectedRevision,
  ids: string,
  { recent = stored, erasedCount = 0 }: { recent?: readonly string[]; erasedCount?: number } = {},
): AppendCheck => {
  const isThere = kind !== 'missing' && kind !== 'only metadata';
  const situation = {
    lastRevision: isThere ? 2 : undefined,
    isTombstoned: kind === 'tombstoned',
    isSoftDeleted: kind === 'deleted',
    hasMetadata: kind === 'only metadata' || kind === 'deleted',
  };
  return checkAppend(expected, ids === '' ? [] : ids.split(''), situation, {
    idsFrom: (revision, count) =>
      isThere ? stored.slice(revision, revision + count).slice(Math.max(0, erasedCount - revision)) : [],
    recentRevisionOf: (id) => (isThere && recent.includes(id) ? stored.indexOf(id) : undefined),
  });
};

test.each<[Kind, ExpectedRevision, string, AppendCheck]>([
  ['missing', 'no-stream', 'x', write],
  ['missing', 'any', 'x', write],
  ['missing', 'stream-exists', 'x', conflict],
  ['missing', 0, 'x', conflict],
  ['only metadata', 'stream-exists', 'x', write],
  ['only metadata', 'no-stream', 'x', write],
  ['standing', 2, 'x', write],
  ['standing', 2, '', write],
  ['standing', 2, 'c', write],
  ['standing', 3, 'x', conflict],
  ['standing', 1, 'x', conflict],
  ['standing', 1, '', conflict],
  ['standing', 1, 'c', repeated(2)],
  ['standing', 0, 'bc', repeated(2)],
  ['standing', 0, 'b', repeated(1)],
  ['standing', 0, 'c', conflict],
  ['standing', 0, 'bx', conflict],
  ['standing', 1, 'cx', conflict],
  ['standing', 'no-stream', 'abc', repeated(2)],
  ['standing', 'no-stream', 'a', repeated(0)],
  ['standing', 'no-stream', 'abcd', conflict],
  ['standing', 'no-stream', 'x', conflict],
  ['standing', 'any', 'x', write],
  ['standing', 'any', '', write],
  ['standing', 'any', 'b', repeated(1)],
  ['standing', 'any', 'ac', repeated(2)],
  ['standing', 'any', 'cx', conflict],
  ['standing', 'any', 'xa', write],
  ['standing', 'stream-exists', 'x', write],
  ['standing', 'stream-exists', 'bc', repeated(2)],
  ['deleted', 'no-stream', 'x', write],
  ['deleted', 'no-stream', 'a', repeated(0)],
  ['deleted', 'no-stream', 'ax', conflict],
  ['deleted', 'any', 'x', write],
  ['deleted', 2, 'x', write],
  ['deleted', 1, 'x', conflict],
  ['deleted', 'stream-exists', 'x', tombstoned],
  ['tombstoned', 'any', 'x', tombstoned],
  ['tombstoned', 'no-stream', 'a', tombstoned],
  ['tombstoned', 2, 'x', tombstoned],
  ['tombstoned', 'stream-exists', 'x', tombstoned],
])('a stream that is %s, expecting %s, with ids %j', (kind, expected, ids, outcome) => {
  expect(check(kind, expected, ids)).toEqual(outcome);
});

test('ids that are no longer recent are written once more, expecting anything', () => {
  expect(check('standing', 'any', 'a', { recent: ['c'] })).toEqual(write);
});

test('ids that are no longer recent are recognised where they are expected', () => {
  expect(check('standing', 'no-stream', 'ab', { recent: [] })).toEqual(repeated(1));
});

test('events that were erased are recognised by their recent ids, and are a conflict once those are forgotten', () => {
  expect(check('standing', 'no-stream', 'ab', { erasedCount: 2 })).toEqual(repeated(1));
  expect(check('standing', 'no-stream', 'ab', { erasedCount: 2, recent: [] })).toEqual(conflict);
});
