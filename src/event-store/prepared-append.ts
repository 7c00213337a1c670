import { checkAppend } from './arguments.js';
import { AppendTooLarge } from './errors.js';
import type { EventData, ExpectedRevision, JsonValue, NewEvent } from './event-store.js';
import type { PreparedAppend, PreparedEvent } from './session.js';

/** Upper bound of what the wire adds to an event: its id, the names of its fields, their lengths. In bytes. */
export const envelopeBytes = 128;

/** The store's own default refuses 1 MiB; the rest is for what it counts and we do not see. In bytes. */
export const appendBytesMaxByDefault = 1_048_576 - 16_384;

const textEncoder = new TextEncoder();

interface Sized {
  readonly event: PreparedEvent;
  readonly bytes: number;
}

/**
 * Settles the bytes of an append, so that a repetition is the same whatever the caller does to its objects meanwhile (P4),
 * and takes the limit on what is encoded (P11).
 *
 * @throws InvalidArgument if the store could not be asked for it
 * @throws AppendTooLarge if the encoded events exceed `bytesMax`
 */
export const prepareAppend = (
  stream: string,
  events: readonly NewEvent[],
  expected: ExpectedRevision,
  bytesMax: number,
): PreparedAppend => {
  checkAppend(stream, events, expected);
  if (events.length === 0) throw new RangeError(`an append to ${stream} without events`);
  const sized = events.map(prepareEvent);
  const bytes = sized.reduce((sum, each) => sum + each.bytes, 0);
  if (bytes > bytesMax) throw new AppendTooLarge({ bytes, bytesMax });
  return { stream, expected, events: sized.map((each) => each.event) };
};

const prepareEvent = ({ id, type, data, metadata }: NewEvent): Sized => {
  const settled = settleData(data);
  const bytes = settled.bytes + envelopeBytes + textEncoder.encode(type).length;
  if (metadata === undefined) return { event: { id, type, data: settled.data }, bytes };
  const encoded = encode(metadata);
  return { event: { id, type, data: settled.data, metadata: encoded }, bytes: bytes + encoded.length };
};

const settleData = (data: EventData): { readonly data: EventData; readonly bytes: number } => {
  if (data instanceof Uint8Array) return { data: encode(data), bytes: data.length };
  const text = jsonText(data);
  // The official client insists on encoding JSON itself, so it is given a copy that nobody else can change.
  return { data: JSON.parse(text) as JsonValue, bytes: Buffer.byteLength(text) };
};

/** A plain copy: the official client takes other subclasses of Uint8Array for JSON. */
const encode = (data: EventData): Uint8Array =>
  data instanceof Uint8Array ? new Uint8Array(data) : textEncoder.encode(jsonText(data));

const jsonText = (data: EventData): string => {
  const text = JSON.stringify(data) as string | undefined;
  if (text === undefined) throw new TypeError('event data must be JSON or bytes');
  return text;
};
