import { isObject } from './event-metadata.js';

/** What may stand in a field. */
export interface FieldCheck {
  /** As the documentation of the events says it. */
  readonly words: string;
  readonly accepts: (value: unknown) => boolean;
}

export interface Field extends FieldCheck {
  readonly isOptional: boolean;
}

export type Required = Field & { readonly isOptional: false };
export type Optional = Field & { readonly isOptional: true };

/** One field for each of the type's, optional where that is: a type that changes does not compile until its fields do. */
export type FieldsOf<T> = {
  readonly [K in Exclude<keyof T, 'type'>]-?: undefined extends T[K] ? Optional : Required;
};

const required = (words: string, accepts: (value: unknown) => boolean): Required => ({
  words,
  accepts,
  isOptional: false,
});

/** The same, where it may be left out. */
export const optional = ({ words, accepts }: FieldCheck): Optional => ({ words, accepts, isOptional: true });

const isWhole = (value: unknown, min: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= min;
const isText = (value: unknown): boolean => typeof value === 'string';

/** What fields of events are. Checks tell a field that is there from one that is not; whether it makes sense, the fold says. */
export const field = {
  text: required('text', isText),
  id: required('id', (value) => typeof value === 'string' && value !== ''),
  hash: required('hash', (value) => typeof value === 'string' && value !== ''),
  instant: required('instant', (value) => isWhole(value, 0)),
  milliseconds: required('milliseconds', (value) => Number.isFinite(value) && (value as number) >= 0),
  whole: required('whole number', (value) => Number.isSafeInteger(value)),
  count: required('count', (value) => isWhole(value, 0)),
  ordinal: required('ordinal', (value) => isWhole(value, 1)),
  revision: required('revision', (value) => isWhole(value, 0)),
  /** Sums of sizes may be larger than safe integers. */
  units: required('units', (value) => Number.isFinite(value) && (value as number) >= 0),
  number: required('number', (value) => Number.isFinite(value)),
  labels: required('labels', (value) => isObject(value) && Object.values(value).every(isText)),
  /** Whatever the caller or the node gave. */
  json: required('JSON', (value) => value !== undefined),
} as const;

export const list = (element: FieldCheck): Required =>
  required(`list of ${element.words}`, (value) => Array.isArray(value) && value.every(element.accepts));

export const oneOf = (...values: readonly (string | boolean)[]): Required => {
  const known = new Set<unknown>(values);
  return required(values.map((value) => `\`${String(value)}\``).join(', '), (value) => known.has(value));
};

export const group = <T extends object>(words: string, fields: FieldsOf<T>): Required => {
  const problemIn = compileFields(fields);
  return required(words, (value) => isObject(value) && problemIn(value) === undefined);
};

/** Values of several shapes, told apart by the field. */
export const anyOf = (words: string, key: string, shapes: Readonly<Record<string, Fields>>): Required => {
  const problems = new Map(Object.entries(shapes).map(([name, fields]) => [name, compileFields(fields)]));
  return required(words, (value) => {
    const problemIn = isObject(value) ? problems.get(value[key] as string) : undefined;
    return problemIn !== undefined && problemIn(value as Readonly<Record<string, unknown>>) === undefined;
  });
};

export type Fields = Readonly<Record<string, Field>>;

/**
 * @returns says what is wrong with an object; nothing if it has each field that it must have, and none that is not known: what an
 *   unknown field says would be lost without a word
 */
export const compileFields = (
  fields: Fields,
): ((object: Readonly<Record<string, unknown>>) => string | undefined) => {
  const all = Object.entries(fields).map(([name, each]) => ({ name, ...each }));
  return (object) => {
    let knownCount = 0;
    for (const { name, accepts, isOptional, words } of all) {
      const value = object[name];
      if (value !== undefined) {
        if (!accepts(value)) return `${name} is not what it must be: ${words}`;
        knownCount += 1;
      } else if (!isOptional) return `${name} is missing`;
    }
    return knownCount === Object.keys(object).length ? undefined : unknownFieldIn(object, fields);
  };
};

/** Fields that are `undefined` are not there. */
const unknownFieldIn = (object: Readonly<Record<string, unknown>>, fields: Fields): string | undefined => {
  const unknown = Object.keys(object).find(
    (name) => object[name] !== undefined && !Object.hasOwn(fields, name),
  );
  return unknown === undefined ? undefined : `${unknown} is a field it does not have`;
};
