import { expect, test } from '@jest/globals';
import {
  isMetastream,
  isSoftDeleted,
  metastreamOf,
  originalOf,
  parseMetadata,
  softDeleteMetadata,
  withTruncation,
} from '../../../src/embedded-store/stream-metadata.js';

const parse = (text: string) => parseMetadata(Buffer.from(text));

test.each([
  ['{}', {}],
  ['{"$maxCount":3,"$maxAge":60,"$tb":7}', { maxCount: 3, maxAge: 60, truncateBefore: 7 }],
  ['{"$tb":0}', { truncateBefore: 0 }],
  ['{"$tb":9223372036854775807}', { truncateBefore: Infinity }],
  ['{ "$maxCount" : 1, "$tb" : 9223372036854775807 }', { maxCount: 1, truncateBefore: Infinity }],
  ['{"$maxCount":0,"$maxAge":0}', {}],
  ['{"$maxCount":-1,"$maxAge":1.5,"$tb":"3"}', {}],
  ['{"other":{"$tb":5}}', {}],
  ['{"note":"\\"$tb\\":9223372036854775807"}', {}],
  ['{"$acl":{"$r":"ops","$w":["a","b"]}}', { acl: { read: ['ops'], write: ['a', 'b'] } }],
  ['{"$acl":{"$d":"a","$mr":"b","$mw":"c"}}', { acl: { delete: ['a'], metaRead: ['b'], metaWrite: ['c'] } }],
  ['{"$acl":{"$r":5}}', { acl: {} }],
  ['{"$acl":"all"}', {}],
  ['not JSON', {}],
  ['[1]', {}],
  ['null', {}],
  ['', {}],
])('%s sets %j', (text, metadata) => {
  expect(parse(text)).toEqual(metadata);
});

test('a truncation beyond what numbers can count to hides all, as a soft delete does', () => {
  expect(Buffer.from(softDeleteMetadata).toString()).toBe('{"$tb":9223372036854775807}');
  expect(isSoftDeleted(parseMetadata(softDeleteMetadata))).toBe(true);
  expect(isSoftDeleted(parse('{"$tb":9223372036854775000}'))).toBe(true);
  expect(isSoftDeleted(parse('{"$tb":"9223372036854775807"}'))).toBe(false);
});

test('a truncation leaves what else was set', () => {
  const metadata = withTruncation(Buffer.from('{"$maxCount":2,"owner":"ops","$tb":9223372036854775807}'), 4);
  expect(JSON.parse(Buffer.from(metadata).toString())).toEqual({ $maxCount: 2, owner: 'ops', $tb: 4 });
});

test('a metadata stream and its stream name each other', () => {
  expect(metastreamOf('s')).toBe('$$s');
  expect(originalOf('$$s')).toBe('s');
  expect(['s', '$s', '$$s', '$$$s'].map(isMetastream)).toEqual([false, false, true, true]);
});
