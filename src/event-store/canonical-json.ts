import { NotIJson } from './codec-errors.js';
import type { JsonValue } from './event-store.js';
import { checkIJson, isPlain, jsonDepthMax } from './i-json.js';

/** Levels that an event and its hash put around a value of the deepest nesting. */
const depthMax = jsonDepthMax + 4;

/**
 * The canonical form of RFC 8785 (JCS): the same text for the same value, whoever writes it down, and in whatever order.
 *
 * Written here although there is a package for it (`canonicalize`): its maintained versions ask for newer versions of Node.js than
 * we do or let lone surrogates pass, and they take as long for a small event as may be spent on its whole encoding.
 *
 * @throws NotIJson naming what has no canonical form
 */
export const canonicalJson = (value: JsonValue): string => {
  const text = write(value, depthMax);
  if (text === undefined) throw new NotIJson(checkIJson(value) ?? '$');
  return text;
};

/** Nothing if there is no canonical form. Fields that are `undefined` are left out, as JSON does. */
const write = (value: JsonValue, levels: number): string | undefined => {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      // The canonical form of numbers is that of ECMAScript; -0 becomes 0.
      return Number.isFinite(value) ? String(value) : undefined;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (levels === 0) return undefined;
      return isList(value) ? writeList(value, levels - 1) : writeObject(value, levels - 1);
    case 'bigint':
    case 'function':
    case 'symbol':
    case 'undefined':
      return undefined;
  }
};

const isList = (value: object): value is readonly JsonValue[] => Array.isArray(value);

const writeList = (list: readonly JsonValue[], levels: number): string | undefined => {
  let text = '';
  for (const element of list) {
    const written = write(element, levels);
    if (written === undefined) return undefined;
    text += text === '' ? written : `,${written}`;
  }
  return `[${text}]`;
};

const writeObject = (
  object: Readonly<Record<string, JsonValue | undefined>>,
  levels: number,
): string | undefined => {
  if (!isPlain(object)) return undefined;
  let text = '';
  for (const key of inOrder(Object.keys(object))) {
    const member = object[key];
    if (member === undefined) continue;
    const name = quote(key);
    const written = write(member, levels);
    if (name === undefined || written === undefined) return undefined;
    text += text === '' ? `${name}:${written}` : `,${name}:${written}`;
  }
  return `{${text}}`;
};

/** What needs more than two quotation marks around it: escapes, and surrogates, which may lack their other half. */
// eslint-disable-next-line no-control-regex -- these are what JSON escapes
const special = /["\\\u0000-\u001f\ud800-\udfff]/;

const quote = (text: string): string | undefined => {
  if (!special.test(text)) return `"${text}"`;
  return text.isWellFormed() ? JSON.stringify(text) : undefined;
};

/** Up to so many keys, insertion is faster than what the engine does for lists of any length. */
const insertedMax = 16;

/** By UTF-16 code units, as the RFC wants it, which is how ECMAScript compares. */
const inOrder = (keys: string[]): string[] => {
  if (keys.length > insertedMax) return keys.sort();
  for (let index = 1; index < keys.length; index += 1) {
    const key = keys[index] as string;
    let place = index;
    for (; place > 0 && (keys[place - 1] as string) > key; place -= 1) {
      keys[place] = keys[place - 1] as string;
    }
    keys[place] = key;
  }
  return keys;
};
