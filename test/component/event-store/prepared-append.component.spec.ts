import { describe, expect, test } from '@jest/globals';
import type { NewEvent } from '../../../src/event-store/event-store.js';
import { prepareAppend } from '../../../src/event-store/prepared-append.js';

const id = '00000000-0000-4000-8000-000000000001';
const event = (data: NewEvent['data'], metadata?: NewEvent['metadata']): NewEvent =>
  metadata === undefined ? { id, type: 'xyz', data } : { id, type: 'xyz', data, metadata };

const isAccepted = (events: readonly NewEvent[], bytesMax: number): boolean => {
  try {
    prepareAppend('s', events, 'any', bytesMax);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ name: 'AppendTooLarge', mayRetry: false });
    return false;
  }
};

describe('preparing an append', () => {
  test.each([
    ['JSON text, not characters', event('ü'), 4],
    ['bytes', event(new Uint8Array(100)), 100],
    ['metadata too', event(1, { a: 1 }), 8],
    ['JSON metadata that is no object', event(1, false), 6],
  ])('takes its limit on the encoded bytes: %s (P11)', (_, each, bytes) => {
    const envelope = 128 + 'xyz'.length;
    expect(isAccepted([each], bytes + envelope)).toBe(true);
    expect(isAccepted([each], bytes + envelope - 1)).toBe(false);
    expect(isAccepted([each, each], 2 * (bytes + envelope))).toBe(true);
    expect(isAccepted([each, each], 2 * (bytes + envelope) - 1)).toBe(false);
  });

  test('settles its bytes, so that a repetition is the same whatever the caller changes meanwhile (P4)', () => {
    const data = { list: [1] };
    const bytes = new Uint8Array([1]);
    const { events } = prepareAppend('s', [event(data), event(bytes, data)], 'any', 10_000);
    data.list.push(2);
    bytes[0] = 2;
    expect(events[0]?.data).toEqual({ list: [1] });
    expect(events[1]?.data).toEqual(new Uint8Array([1]));
    expect(Buffer.from(events[1]?.metadata ?? []).toString()).toBe('{"list":[1]}');
  });

  test('refuses an append without events, and data that is not JSON', () => {
    expect(() => prepareAppend('s', [], 'any', 10_000)).toThrow(RangeError);
    const nothing = undefined as unknown as null;
    expect(() => prepareAppend('s', [event(nothing)], 'any', 10_000)).toThrow(TypeError);
  });
});
