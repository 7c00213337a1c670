import type { Event } from '../core/tracker/event.js';
import { canonicalJson } from './canonical-json.js';
import { MalformedEvent, NotIJson, UnknownEvent } from './codec-errors.js';
import { eventFields } from './event-fields.js';
import { isObject, metadataIn, metadataOf, type EventMetadata, type Origin } from './event-metadata.js';
import { storedNames, type StoredNames } from './event-names.js';
import type { JsonValue, NewEvent, RecordedEvent } from './event-store.js';
import { compileFields, type Fields } from './field-checks.js';
import { linkHash } from './hash-chain.js';
import { envelopeBytes } from './prepared-append.js';
import { readings, upcasters, type Reading, type StoredContent, type Upcasters } from './upcasting.js';

/** What is stored with an event that the event does not say. */
export interface EncodingContext extends Origin {
  /** A UUID. */
  readonly id: string;
  /** Of the event before it in the log; `firstPreviousHash` for the first. */
  readonly previousHash: string;
}

export interface EncodedEvent {
  readonly stored: NewEvent;
  /** Of this event; the previous one of the next. */
  readonly hash: string;
  /** As they count against the limit of an append (P11). */
  readonly bytes: number;
}

export interface DecodedEvent {
  readonly event: Event;
  readonly metadata: EventMetadata;
}

type Json = Readonly<Record<string, unknown>>;

/** How events of a type are written, and checked. */
interface Form {
  readonly storedName: string;
  /** The fields in their canonical order, which then costs nothing any more, neither here nor where the hash is verified. */
  readonly order: readonly string[];
  readonly problemIn: (data: Json) => string | undefined;
}

/** `,"hash":""` and the hash itself, which comes to the metadata after that was hashed. In bytes. */
const hashFieldBytes = 10 + 64;

/** Between the events of core and what the store keeps. */
export class EventCodec {
  private readonly readings: ReadonlyMap<string, Reading>;
  private readonly forms: Readonly<Record<Event['type'], Form>>;

  /** @throws RangeError if the upcasters do not lead to the names */
  constructor(names: StoredNames, known: Upcasters) {
    this.readings = readings(names, known);
    this.forms = formsOf(names);
  }

  /**
   * @throws MalformedEvent if it could not be read again: better one decision that fails than a log that nobody can fold
   */
  encode(event: Event, context: EncodingContext): EncodedEvent {
    const { storedName: type, order, problemIn } = this.forms[event.type];
    const data = dataOf(event as unknown as Json, order);
    const problem = problemIn(data) ?? unknownFieldIn(event, data);
    if (problem !== undefined) throw new MalformedEvent(type, undefined, problem);
    const about = metadataOf(event, context);
    const dataText = canonical(type, data);
    const metadataText = canonical(type, about);
    const hash = linkHash(context.previousHash, type, dataText, metadataText);
    const bytes =
      envelopeBytes +
      type.length +
      // What is canonical has as many bytes as what is stored: only the order of the fields may be another.
      Buffer.byteLength(dataText) +
      Buffer.byteLength(metadataText) +
      hashFieldBytes;
    return { stored: { id: context.id, type, data, metadata: { ...about, hash } }, hash, bytes };
  }

  /**
   * @throws UnknownEvent if the name, or the version of it, is not known
   * @throws MalformedEvent if it has not what it must have, or something that nobody knows
   */
  decode({ type: name, revision, data, metadata }: RecordedEvent): DecodedEvent {
    const reading = this.readings.get(name);
    if (!reading) throw new UnknownEvent(name, revision);
    if (!isObject(data)) throw new MalformedEvent(name, revision, 'the data is not a JSON object');
    if (!isObject(metadata)) throw new MalformedEvent(name, revision, 'the metadata is not a JSON object');
    const current = reading.steps.length === 0 ? { data, metadata } : lift({ data, metadata }, reading);
    const known = metadataIn(current.metadata);
    if (!known) throw new MalformedEvent(name, revision, 'the metadata is not that of an event');
    const problem = this.forms[reading.type].problemIn(current.data);
    if (problem !== undefined) throw new MalformedEvent(name, revision, problem);
    return { event: { type: reading.type, ...current.data } as Event, metadata: known };
  }
}

const formsOf = (names: StoredNames): Readonly<Record<Event['type'], Form>> => {
  const all: Readonly<Record<Event['type'], Fields>> = eventFields;
  const forms = Object.entries(all).map(([type, fields]) => {
    const storedName = names[type as Event['type']];
    return [type, { storedName, order: Object.keys(fields).sort(), problemIn: compileFields(fields) }];
  });
  return Object.fromEntries(forms) as Readonly<Record<Event['type'], Form>>;
};

/** The fields that are there, without the type, which is told by the name. */
const dataOf = (event: Json, order: readonly string[]): Readonly<Record<string, JsonValue>> => {
  const data: Record<string, JsonValue> = {};
  for (const name of order) {
    const value = event[name];
    if (value !== undefined) data[name] = value as JsonValue;
  }
  return data;
};

/** A field of the event that did not come to the data would be lost without a word. */
const unknownFieldIn = (event: Event, data: Json): string | undefined => {
  const all: [string, unknown][] =
    Object.keys(event).length === Object.keys(data).length + 1 ? [] : Object.entries(event);
  const unknown = all.find(
    ([name, value]) => value !== undefined && name !== 'type' && !Object.hasOwn(data, name),
  );
  return unknown && `${unknown[0]} is a field it does not have`;
};

const lift = (stored: StoredContent, { steps }: Reading): StoredContent =>
  steps.reduce((content, step) => step(content), stored);

const canonical = (type: string, value: unknown): string => {
  try {
    return canonicalJson(value as JsonValue);
  } catch (error) {
    if (error instanceof NotIJson) throw new MalformedEvent(type, undefined, error.message, { cause: error });
    throw error;
  }
};

const codec = new EventCodec(storedNames, upcasters);

/**
 * What is to be stored for an event, linked to the one before it.
 *
 * @throws MalformedEvent if it could not be read again
 */
export const encodeEvent = (event: Event, context: EncodingContext): EncodedEvent =>
  codec.encode(event, context);

/**
 * The event that is stored, lifted to its current version.
 *
 * @throws UnknownEvent if the name, or the version of it, is not known; MalformedEvent if the content is not what it must be
 */
export const decodeEvent = (recorded: RecordedEvent): DecodedEvent => codec.decode(recorded);
