import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Event } from '../../../src/core/tracker/event.js';
import { encodeEvent } from '../../../src/event-store/event-codec.js';
import {
  attemptEndFields,
  attemptErrorFields,
  eventFields,
  placementReasonFields,
  settingsFields,
} from '../../../src/event-store/event-fields.js';
import { storedNames } from '../../../src/event-store/event-names.js';
import type { JsonValue } from '../../../src/event-store/event-store.js';
import type { Fields } from '../../../src/event-store/field-checks.js';
import { firstPreviousHash, verifyLink } from '../../../src/event-store/hash-chain.js';
import { anOrigin, recordedAs } from '../../kit/recorded-events.js';

const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');

/** The text under each heading of a level, to the next heading of that level or above it. */
const sections = new Map(
  page.split(/^(?=##? |### )/mu).map((section) => [/^#+ (.*)$/mu.exec(section)?.[1] ?? '', section] as const),
);

const rowsIn = (section: string | undefined): string[][] =>
  [...(section ?? '').matchAll(/^\| (`.*) \|$/gmu)].map(([, row]) => (row ?? '').split(' | '));

/** Field and type of each row, as the page has them. */
const writtenIn = (title: string): (string | undefined)[][] =>
  rowsIn(sections.get(title)).map(([name, type]) => [name, type]);

const expectedOf = (fields: Fields): string[][] =>
  Object.entries(fields).map(([name, { words, isOptional }]) => [
    `\`${name}\``,
    isOptional ? `${words}, optional` : words,
  ]);

describe('the page of events', () => {
  test('has every event, and none that does not exist', () => {
    const titles = [...sections.keys()].filter((title) => /\.v\d/u.test(title));
    expect(titles.toSorted()).toEqual(
      Object.values(storedNames)
        .map((name) => `\`${name}\``)
        .toSorted(),
    );
  });

  test.each(Object.entries(eventFields))('has the fields of %s, and says what each means', (type, fields) => {
    const title = `\`${storedNames[type as Event['type']]}\``;
    expect(writtenIn(title)).toEqual(expectedOf(fields));
    for (const [, , meaning] of rowsIn(sections.get(title))) expect(meaning).toMatch(/\w{3}/u);
  });

  test.each<[string, Fields]>([
    ['Attempt error', attemptErrorFields],
    ['Placement reason', placementReasonFields],
    ['Settings', settingsFields],
  ])('has the fields of the part %s', (title, fields) => {
    expect(writtenIn(title)).toEqual(expectedOf(fields));
  });

  test('has the ways in which an attempt ends', () => {
    const written = rowsIn(sections.get('Attempt end')).map(([reason, , fields]) => [reason, fields]);
    const expected = Object.entries<Fields>(attemptEndFields).map(([reason, fields]) => {
      const further = Object.entries(fields)
        .filter(([name]) => name !== 'reason')
        .map(([name, { words, isOptional }]) => `\`${name}\` (${words}${isOptional ? ', optional' : ''})`);
      return [`\`${reason}\``, further.join(', ') || 'none'];
    });
    expect(written).toEqual(expected);
  });

  test('explains every type that a field has', () => {
    const parts = new Set([...sections.keys()].map((title) => title.toLowerCase()));
    const types = [...page.matchAll(/^\| ([A-Za-z ]+) \| [^|]+ \|$/gmu)].map(([, type]) => type);
    const used = [
      ...Object.values<Fields>(eventFields),
      placementReasonFields,
      settingsFields,
      attemptErrorFields,
    ]
      .flatMap((fields) => Object.values<Fields[string]>(fields))
      .map(({ words }) => words.replace(/^list of /u, ''))
      .filter((words) => !words.startsWith('`') && !parts.has(words));
    expect(types).toEqual(expect.arrayContaining(used));
  });

  test('has the fields of the metadata', () => {
    const event: Event = { type: 'TermEnded', term: 1, at: 0 };
    const { metadata } = encodeEvent(event, { ...anOrigin, by: 'ann' }).stored;
    const written = rowsIn(sections.get('Metadata')).map(([name]) => name);
    expect(written.toSorted()).toEqual(
      Object.keys(metadata as object)
        .map((name) => `\`${name}\``)
        .toSorted(),
    );
  });

  test('shows a chain that holds, and what its hashes are made from', () => {
    const chain = sections.get('The hash chain') ?? '';
    const [, json = ''] = /```json\n(.*?)```/su.exec(chain) ?? [];
    const inputs = [...chain.matchAll(/```text\n(.*)\n```/gu)].map(([, input]) => input ?? '');
    const events = JSON.parse(json) as { name: string; data: JsonValue; metadata: { hash: string } }[];
    expect(inputs).toHaveLength(2);
    expect(events).toHaveLength(2);
    let previousHash = firstPreviousHash;
    for (const [index, { name, data, metadata }] of events.entries()) {
      previousHash = verifyLink(recordedAs({ type: name, data, metadata }), previousHash);
      expect(
        createHash('sha256')
          .update(inputs[index] ?? '')
          .digest('hex'),
      ).toBe(metadata.hash);
    }
  });
});
