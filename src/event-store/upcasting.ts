import type { Event } from '../core/tracker/event.js';
import type { StoredNames } from './event-names.js';

type Json = Readonly<Record<string, unknown>>;

/** Data and metadata of a stored event, at some version of it. */
export interface StoredContent {
  readonly data: Json;
  readonly metadata: Json;
}

/** Lifts what was stored by one version to the next. It sees one event alone, and answers the same for ever. */
export type Upcaster = (stored: StoredContent) => StoredContent;

/** By the stored name, with the version, of what they lift: `job-placed.v1` makes what `job-placed.v2` has. */
export type Upcasters = Readonly<Record<string, Upcaster>>;

/** There are no old versions yet. */
export const upcasters: Upcasters = {};

/** How an event of a stored name is read. */
export interface Reading {
  readonly type: Event['type'];
  /** To be applied one after the other. */
  readonly steps: readonly Upcaster[];
}

/**
 * Every stored name that can be read, current or old.
 *
 * @throws RangeError if an upcaster leads to nothing that is read today
 */
export const readings = (names: StoredNames, known: Upcasters): ReadonlyMap<string, Reading> => {
  const all = new Map<string, Reading>();
  for (const [type, name] of Object.entries(names) as [Event['type'], string][]) {
    let reading: Reading = { type, steps: [] };
    all.set(name, reading);
    for (let old = versionBefore(name); old !== undefined; old = versionBefore(old)) {
      const step = known[old];
      if (!step) throw new RangeError(`${name} has versions before it, and nothing lifts ${old}`);
      reading = { type, steps: [step, ...reading.steps] };
      all.set(old, reading);
    }
  }
  const useless = Object.keys(known).find((name) => (all.get(name)?.steps.length ?? 0) === 0);
  if (useless !== undefined)
    throw new RangeError(`what lifts ${useless} leads to no event that is read today`);
  return all;
};

const versioned = /^(?<name>[a-z]+(?:-[a-z]+)*)\.v(?<version>[1-9]\d*)$/u;

const versionBefore = (stored: string): string | undefined => {
  const { name, version } = versioned.exec(stored)?.groups ?? {};
  if (name === undefined)
    throw new RangeError(`${stored} is not a name with a version, such as job-placed.v1`);
  return version === '1' ? undefined : `${name}.v${Number(version) - 1}`;
};
