import { expect, test } from '@jest/globals';
import { ContentReader, contentsOf } from '../../../src/aggregate/snapshot-content.js';
import type { SnapshotRecord } from '../../../src/core/tracker/snapshot-records.js';

const kib = 1_024;

const record = (id: string, size: number): SnapshotRecord =>
  ['orphan', id, 1, 1, size] as unknown as SnapshotRecord;

const records = (count: number, idOf: (index: number) => string): SnapshotRecord[] =>
  Array.from({ length: count }, (_, index) => record(idOf(index), index));

const readAgain = (contents: Iterable<Uint8Array>): SnapshotRecord[][] => {
  const reader = new ContentReader();
  return [...contents].map((content) => reader.recordsIn(content));
};

test('no records are no contents', () => {
  expect([...contentsOf([])]).toEqual([]);
});

test.each([1, 255, 256, 257, 512, 10_000])('%d records come back as they were, in their order', (count) => {
  const written = records(count, (index) => `job-${index}`);
  expect(readAgain(contentsOf(written)).flat()).toEqual(written);
});

test('contents end where a line of records does, so that each can be read by itself', () => {
  const written = records(5_000, (index) => `job-${index} ${'x'.repeat(200)}`);
  const contents = [...contentsOf(written)];
  expect(contents.length).toBeGreaterThan(3);
  const alone = contents.map((content) => new ContentReader().recordsIn(content));
  expect(alone.flat()).toEqual(written);
});

test('a line that is too long for one content is read once its end has come', () => {
  const written = [record('x'.repeat(700 * kib), 1), record('next', 2)];
  const read = readAgain(contentsOf(written));
  expect(read.map(({ length }) => length)).toEqual([0, 0, 2]);
  expect(read.flat()).toEqual(written);
});

test('what comes before and after such a line is not mixed up with it', () => {
  const short = records(256, (index) => `job-${index}`);
  const long = records(256, (index) => `${index} ${'y'.repeat(2 * kib)}`);
  const written = [...short, ...long, ...short];
  expect(readAgain(contentsOf(written)).flat()).toEqual(written);
});

// One byte less or more before it moves each cut through another byte of a character.
test.each([0, 1, 2, 3])('a character may be cut in two: %d', (before) => {
  const written = [record(`${'x'.repeat(before)}${'\u{1F6A2}é€'.repeat(60 * kib)}`, 1)];
  const read = readAgain(contentsOf(written));
  expect(read.length).toBeGreaterThan(1);
  expect(read.flat()).toEqual(written);
});

test('a content may end amid a line after whole ones, because characters may have several bytes', () => {
  const written = records(1_024, (index) => `${index} ${'€'.repeat(300)}`);
  const read = readAgain(contentsOf(written));
  expect(read.map(({ length }) => length)).toContain(256);
  expect(read.flat()).toEqual(written);
});
