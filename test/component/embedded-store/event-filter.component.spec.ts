import { expect, test } from '@jest/globals';
import { predicateOf, type EventFilter } from '../../../src/embedded-store/event-filter.js';
import { emptyBytes } from '../../../src/embedded-store/stored-event.js';

const event = (stream: string, type: string) => ({
  stream,
  type,
  revision: 0,
  position: 0,
  createdAt: 0,
  id: '',
  isJson: false,
  data: emptyBytes,
  metadata: emptyBytes,
});

test.each<[EventFilter, string, string, boolean]>([
  [{ on: 'stream', prefixes: ['job-'] }, 'job-1', 'x', true],
  [{ on: 'stream', prefixes: ['job-'] }, 'a-job-1', 'x', false],
  [{ on: 'stream', prefixes: ['job-'] }, 'x', 'job-1', false],
  [{ on: 'stream', prefixes: ['a', 'b'] }, 'b1', 'x', true],
  [{ on: 'stream', prefixes: [''] }, 'anything', 'x', true],
  [{ on: 'stream', prefixes: [] }, 'anything', 'x', false],
  [{ on: 'type', prefixes: ['job-'] }, 'x', 'job-placed', true],
  [{ on: 'type', regex: 'placed$' }, 'x', 'job-placed', true],
  [{ on: 'type', regex: '^placed' }, 'x', 'job-placed', false],
  [{ on: 'stream', regex: '^[^$].*' }, '$system', 'x', false],
  [{ on: 'stream', regex: '^[^$].*' }, 'mine', 'x', true],
  [{ on: 'stream', regex: '^\\p{Lu}' }, 'Ä', 'x', true],
  [{ on: 'stream', regex: '^a\\-b' }, 'a-b', 'x', true],
])('%j on stream %s and type %s', (filter, stream, type, isWanted) => {
  expect(predicateOf(filter)(event(stream, type))).toBe(isWanted);
});

test('an expression that is none is the fault of who sent it', () => {
  expect(() => predicateOf({ on: 'stream', regex: '(' })).toThrow(
    expect.objectContaining({ name: 'InvalidRequest', message: expect.stringContaining('"("') as unknown }),
  );
});

test('an expression that would backtrack for ever is matched in no time', () => {
  const isWanted = predicateOf({ on: 'stream', regex: '^(a+)+$' });
  expect(isWanted(event(`${'a'.repeat(1_000)}!`, 'x'))).toBe(false);
});

test('an expression that needs backtracking is refused', () => {
  expect(() => predicateOf({ on: 'stream', regex: '^(?!x)' })).toThrow(
    expect.objectContaining({ name: 'InvalidRequest' }),
  );
});
