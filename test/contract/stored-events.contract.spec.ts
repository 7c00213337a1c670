import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Event } from '../../src/core/tracker/event.js';
import { decodeEvent, encodeEvent } from '../../src/event-store/event-codec.js';
import { eventFields } from '../../src/event-store/event-fields.js';
import { storedNames } from '../../src/event-store/event-names.js';
import type { JsonValue } from '../../src/event-store/event-store.js';
import { verifyLink } from '../../src/event-store/hash-chain.js';
import { recordedAs } from '../kit/recorded-events.js';

/** What stands in a file: events as core knows them, and as they are stored. */
interface Example {
  readonly event: Event;
  readonly previousHash: string;
  readonly stored: { readonly type: string; readonly data: JsonValue; readonly metadata: JsonValue };
}

/**
 * One file for each version of each event that was ever stored. They are kept for ever, and never changed: what a version of
 * Longshore has written, every later one must read.
 */
const folder = new URL('stored-events/', import.meta.url);
const files = readdirSync(folder).map((file) => file.replace(/\.json$/u, ''));
const current = new Set(Object.values(storedNames));

const examplesOf = (name: string): readonly Example[] =>
  JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as readonly Example[];

describe('stored events', () => {
  test.each(Object.values(storedNames))('of the name %s are kept here', (name) => {
    expect(files).toContain(name);
  });

  test.each(files)('of the name %s are read as they were meant', (name) => {
    for (const { event, previousHash, stored } of examplesOf(name)) {
      const recorded = recordedAs(stored);
      expect(stored.type).toBe(name);
      // Of an old version the event beside it is what it is lifted to.
      expect(decodeEvent(recorded).event).toEqual(event);
      expect(verifyLink(recorded, previousHash)).toBe(decodeEvent(recorded).metadata.hash);
    }
  });

  test.each(files.filter((name) => current.has(name)))('of the name %s are written like that', (name) => {
    for (const { event, previousHash, stored } of examplesOf(name)) {
      const { term, $causationId: causationId, by } = decodeEvent(recordedAs(stored)).metadata;
      const origin = { id: 'any', previousHash, term, causationId, ...(by !== undefined && { by }) };
      const { data, metadata, type } = encodeEvent(event, origin).stored;
      expect({ type, data, metadata }).toEqual(stored);
    }
  });

  test.each(Object.entries(eventFields))(
    '%s: the examples have every field, and leave out each that may be',
    (type, fields) => {
      const examples = examplesOf(storedNames[type as Event['type']]).map(({ stored }) =>
        Object.keys(stored.data as object),
      );
      for (const [name, { isOptional }] of Object.entries(fields)) {
        const withIt = examples.filter((present) => present.includes(name)).length;
        expect([name, withIt > 0]).toEqual([name, true]);
        expect([name, withIt < examples.length]).toEqual([name, isOptional]);
      }
    },
  );
});
