import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Event } from '../../src/core/tracker/event.js';
import { canonicalJson } from '../../src/event-store/canonical-json.js';
import { AppendTooLarge } from '../../src/event-store/errors.js';
import { decodeEvent, encodeEvent } from '../../src/event-store/event-codec.js';
import type { JsonValue } from '../../src/event-store/event-store.js';
import { checkIJson } from '../../src/event-store/i-json.js';
import { firstPreviousHash, verifyLink } from '../../src/event-store/hash-chain.js';
import { prepareAppend } from '../../src/event-store/prepared-append.js';
import { anyEvent, anyJson, anyText } from '../kit/arbitrary-events.js';
import { anOrigin, recordedAs, recordedLog } from '../kit/recorded-events.js';

const anyOrigin = fc.record(
  {
    id: fc.uuid(),
    previousHash: fc.stringMatching(/^[\da-f]{64}$/),
    term: fc.nat(),
    causationId: anyText,
    by: anyText,
  },
  { requiredKeys: ['id', 'previousHash', 'term', 'causationId'] },
);

describe('an event', () => {
  test('comes back from the store as it was, with where it came from', () => {
    fc.assert(
      fc.property(anyEvent, anyOrigin, (event, origin) => {
        const { stored, hash } = encodeEvent(event, origin);
        const decoded = decodeEvent(recordedAs(stored));
        expect(decoded.event).toEqual(event);
        const { term, causationId: $causationId, by } = origin;
        expect(decoded.metadata).toMatchObject({ term, $causationId, hash, ...(by !== undefined && { by }) });
        expect('by' in decoded.metadata).toBe(by !== undefined);
      }),
    );
  });

  test('is hashed as it comes back from the store', () => {
    fc.assert(
      fc.property(anyEvent, anyOrigin, (event, origin) => {
        const { stored, hash } = encodeEvent(event, origin);
        expect(verifyLink(recordedAs(stored), origin.previousHash)).toBe(hash);
      }),
    );
  });

  test('has as many bytes as the port counts for it (P11)', () => {
    fc.assert(
      fc.property(anyEvent, anyOrigin, (event, origin) => {
        const { stored, bytes } = encodeEvent(event, origin);
        prepareAppend('tracker-0', [stored], 'any', bytes);
        expect(() => prepareAppend('tracker-0', [stored], 'any', bytes - 1)).toThrow(AppendTooLarge);
      }),
    );
  });

  test('is the same stored event with its absent fields written out as undefined', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const spelledOut = { name: undefined, ended: undefined, ...event } as unknown as Event;
        expect(encodeEvent(spelledOut, anOrigin)).toEqual(encodeEvent(event, anOrigin));
      }),
    );
  });
});

/** The revision at which the chain breaks; nothing if it holds. */
const brokenAt = (log: ReturnType<typeof recordedLog>): number | undefined => {
  let hash = firstPreviousHash;
  for (const [index, recorded] of log.entries()) {
    try {
      hash = verifyLink(recorded, hash);
    } catch {
      return index;
    }
  }
  return undefined;
};

const anyLog = fc.array(anyEvent, { minLength: 2, maxLength: 8 }).map(recordedLog);
const anyLogAndPlace = anyLog.chain((log) =>
  fc.record({ log: fc.constant(log), place: fc.nat(log.length - 1) }),
);
type Log = ReturnType<typeof recordedLog>;

/** What is read where the store has another byte at the place; nothing if it is no JSON any more. */
const withOtherByte = (value: unknown, place: number, byte: number): JsonValue | undefined => {
  const bytes = Buffer.from(JSON.stringify(value));
  bytes[place % bytes.length] = byte;
  try {
    return JSON.parse(bytes.toString()) as JsonValue;
  } catch {
    return undefined;
  }
};

describe('the chain of a log', () => {
  test('holds', () => {
    fc.assert(fc.property(anyLog, (log) => brokenAt(log) === undefined));
  });

  test.each(['data', 'metadata'] as const)('breaks where a byte of the %s was changed', (part) => {
    let changedCount = 0;
    fc.assert(
      fc.property(anyLogAndPlace, fc.nat(), fc.integer({ min: 0, max: 255 }), ({ log, place }, at, byte) => {
        const recorded = log[place] as Log[number];
        const changed = withOtherByte(recorded[part], at, byte);
        fc.pre(changed !== undefined && !isDeepStrictEqual(changed, recorded[part]));
        changedCount += 1;
        const tampered = log.with(place, { ...recorded, [part]: changed });
        expect(brokenAt(tampered)).toBe(place);
      }),
      { numRuns: 300 },
    );
    expect(changedCount).toBeGreaterThan(100);
  });

  test('breaks where a name was changed', () => {
    fc.assert(
      fc.property(anyLogAndPlace, anyText, ({ log, place }, name) => {
        const recorded = log[place] as Log[number];
        fc.pre(name !== recorded.type);
        expect(brokenAt(log.with(place, { ...recorded, type: name }))).toBe(place);
      }),
    );
  });

  test('breaks where an event was removed, but for the last', () => {
    fc.assert(
      fc.property(anyLogAndPlace, ({ log, place }) => {
        const rest = log.toSpliced(place, 1);
        expect(brokenAt(rest)).toBe(place === log.length - 1 ? undefined : place);
      }),
    );
  });

  test('breaks where an event was inserted, be it one of its own', () => {
    fc.assert(
      fc.property(anyLogAndPlace, fc.nat(), ({ log, place }, which) => {
        const inserted = log.toSpliced(place, 0, log[which % log.length] as Log[number]);
        // The copy of the event that stands there is the event; then that one is too much.
        const broken = which % log.length === place ? place + 1 : place;
        expect(brokenAt(inserted)).toBe(broken);
      }),
    );
  });

  test('breaks where two events were swapped', () => {
    fc.assert(
      fc.property(anyLogAndPlace, fc.nat(), ({ log, place }, which) => {
        const other = which % log.length;
        fc.pre(other !== place);
        const one = log[place] as Log[number];
        const swapped = log.with(place, log[other] as Log[number]).with(other, one);
        expect(brokenAt(swapped)).toBe(Math.min(place, other));
      }),
    );
  });
});

describe('the canonical form', () => {
  test('is JSON that says the same', () => {
    fc.assert(fc.property(anyJson, (value) => expect(JSON.parse(canonicalJson(value))).toEqual(value)));
  });

  test('is the same whatever the order of fields', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .map(([key, member]) => [key, reversed(member)] as const)
          .reverse(),
      );
    };
    fc.assert(
      fc.property(anyJson, (value) => canonicalJson(reversed(value) as null) === canonicalJson(value)),
    );
  });

  test('exists for exactly what the check at the edge lets pass', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withNullPrototype: true,
      withMap: true,
    });
    const half = fc.integer({ min: 0xd7f0, max: 0xe010 }).map((code) => String.fromCharCode(code));
    const texts = fc.string({ unit: half, maxLength: 4 });
    const withHalves = fc.oneof(texts, fc.array(texts), fc.dictionary(texts, texts));
    fc.assert(
      fc.property(fc.oneof(anything, withHalves), (value) => {
        let exists = true;
        try {
          canonicalJson(value as null);
        } catch {
          exists = false;
        }
        expect(checkIJson(value) === undefined).toBe(exists);
      }),
      { numRuns: 1_000 },
    );
  });
});
