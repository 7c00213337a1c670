import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../src/event-store/canonical-json.js';
import { NotIJson } from '../../../src/event-store/codec-errors.js';
import type { JsonValue } from '../../../src/event-store/event-store.js';
import { checkIJson, hasLoneSurrogate, jsonDepthMax } from '../../../src/event-store/i-json.js';

const fromBits = (hex: string): number => Buffer.from(hex, 'hex').readDoubleBE();

const nested = (depth: number): JsonValue => {
  let value: JsonValue = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { in: value };
  return value;
};

describe('the canonical form (RFC 8785)', () => {
  test('of the example in section 3.2.2', () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    const canonical = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`;
    expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(canonical);
  });

  test('sorts by UTF-16 code units, as in section 3.2.3', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    const canonical = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(Object.keys(JSON.parse(canonical) as object).sort()).toEqual(sorted);
    expect(canonical).toBe(`{${sorted.map((key) => `${JSON.stringify(key)}:0`).join(',')}}`);
  });

  test('sorts many keys as it sorts few', () => {
    const keys = Array.from({ length: 40 }, (_, index) => `key ${(index * 7) % 40}`);
    const canonical = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(canonical).toBe(
      `{${keys
        .toSorted()
        .map((key) => `"${key}":0`)
        .join(',')}}`,
    );
  });

  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('of the number %s in appendix B', (bits, canonical) => {
    expect(canonicalJson(fromBits(bits))).toBe(canonical);
  });

  test('leaves out fields that are undefined', () => {
    expect(canonicalJson({ b: undefined, a: 1, c: {} })).toBe('{"a":1,"c":{}}');
  });

  test('takes __proto__ for a key like any other', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"a":1}}') as JsonValue)).toBe('{"__proto__":{"a":1}}');
  });
});

describe('what has no canonical form', () => {
  test.each<[string, unknown, string]>([
    ['NaN', { a: [1, NaN] }, 'payload.a[1]'],
    ['Infinity', Infinity, 'payload'],
    ['half of a surrogate pair', { a: { 'b c': 'x\ud800' } }, 'payload.a["b c"]'],
    ['a half in a name', { '\udc00': 1 }, String.raw`payload["\udc00"]`],
    ['a list with a gap', [1, undefined], 'payload[1]'],
    ['a bigint', { a: 1n }, 'payload.a'],
    ['a date', { at: new Date(0) }, 'payload.at'],
    ['a map', new Map(), 'payload'],
  ])('is %s, by its path', (_what, value, path) => {
    expect(checkIJson(value, 'payload')).toBe(path);
    expect(() => canonicalJson(value as JsonValue)).toThrow(NotIJson);
    expect(() => canonicalJson(value as JsonValue)).toThrow(path.replace('payload', '$'));
  });

  test('is what is nested more deeply than may be, of whatever depth', () => {
    expect(checkIJson(nested(jsonDepthMax))).toBeUndefined();
    expect(checkIJson(nested(jsonDepthMax + 1))).toMatch(/^\$(?:\.in|\[0\])+$/u);
    expect(checkIJson(nested(100_000))).toBeDefined();
    expect(() => canonicalJson(nested(100_000))).toThrow(NotIJson);
  });

  test('is not a whole pair', () => {
    expect(hasLoneSurrogate('\ud83d\ude00')).toBe(false);
    expect(hasLoneSurrogate('\ude00\ud83d')).toBe(true);
    expect(checkIJson({ '\ud83d\ude00': ['\ud83d\ude00'] })).toBeUndefined();
  });
});
