/**
 * The four messages that carry events, encoded and decoded by hand: the generated classes for them take several times
 * as long, and these are all the work there is in a busy store. Field numbers are those of EventStoreDB's streams.proto.
 */
import protobuf from 'protobufjs/minimal.js';
import { InvalidRequest } from '../errors.js';
import {
  emptyBytes,
  tombstoneRevision,
  type ExpectedRevision,
  type ProposedEvent,
  type StoredEvent,
} from '../stored-event.js';

type Reader = protobuf.Reader;
type Writer = protobuf.Writer;

export interface AppendOptions {
  readonly stream: Uint8Array;
  readonly expectedRevision: ExpectedRevision;
  /** Milliseconds since 1970. */
  readonly deadlineAt: number | undefined;
}

/** An event as it stands in the request: names are bytes until someone has looked whether they are text. */
export interface WireEvent {
  readonly id: string;
  readonly type: Uint8Array;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** One message of a unary append: the options come first, then an event each. */
export type AppendMessage = { readonly options: AppendOptions } | { readonly event: WireEvent } | undefined;

export interface BatchAppendMessage {
  /** The encoded UUID, to be sent back as it came. */
  readonly correlationId: Uint8Array;
  readonly options: AppendOptions | undefined;
  readonly events: readonly WireEvent[];
  readonly isFinal: boolean;
  /** Of the whole message, which stays in memory as long as its events do. */
  readonly bytes: number;
}

/** Whose id form a reader asked for. */
export type UuidForm = 'string' | 'structured';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws InvalidRequest if the bytes are not UTF-8 */
export function textOf(bytes: Uint8Array, field: string): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw new InvalidRequest(`${field} is not valid UTF-8`);
  }
}

/** At least what an event will count towards the limit, and never nothing, so that what is collected is bounded. */
export const leastBytesOf = ({ type, data, metadata }: WireEvent): number =>
  Math.max(1, Math.ceil(type.byteLength / 2)) + data.byteLength + metadata.byteLength;

/** Field by field: rest and spread would take ten times as long, and this is done for each event that comes in. */
export const proposedEventOf = ({ id, type, isJson, data, metadata }: WireEvent): ProposedEvent => ({
  id,
  type: textOf(type, 'event type'),
  isJson,
  data,
  metadata,
});

/** Calls `read` with each field number; what it does not read is skipped. */
function eachField(reader: Reader, length: number, read: (field: number) => boolean): void {
  const end = reader.pos + length;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (!read(tag >>> 3)) reader.skipType(tag & 7);
  }
}

export function decodeAppendMessage(bytes: Uint8Array): AppendMessage {
  const reader = protobuf.Reader.create(bytes);
  let message: AppendMessage;
  eachField(reader, reader.len, (field) => {
    if (field === 1) message = { options: readOptions(reader) };
    else if (field === 2) message = { event: readEvent(reader) };
    else return false;
    return true;
  });
  return message;
}

export function decodeBatchAppendMessage(bytes: Uint8Array): BatchAppendMessage {
  const reader = protobuf.Reader.create(bytes);
  let correlationId = emptyBytes;
  let options: AppendOptions | undefined;
  const events: WireEvent[] = [];
  let isFinal = false;
  eachField(reader, reader.len, (field) => {
    if (field === 1) correlationId = Uint8Array.from(reader.bytes());
    else if (field === 2) options = readOptions(reader);
    else if (field === 3) events.push(readEvent(reader));
    else if (field === 4) isFinal = reader.bool();
    else return false;
    return true;
  });
  return { correlationId, options, events, isFinal, bytes: bytes.byteLength };
}

const expectedByField: Readonly<Record<number, ExpectedRevision>> = {
  3: 'no-stream',
  4: 'any',
  5: 'stream-exists',
};

/** Both appends use the same numbers; only a batch carries a deadline. */
function readOptions(reader: Reader): AppendOptions {
  let stream = emptyBytes;
  let expectedRevision: ExpectedRevision = 'any';
  let deadlineAt: number | undefined;
  eachField(reader, reader.uint32(), (field) => {
    const named = expectedByField[field];
    if (field === 1) stream = readStreamIdentifier(reader);
    else if (field === 2) expectedRevision = numberOf(reader.uint64());
    else if (field === 6) deadlineAt = readTimestamp(reader);
    else if (named === undefined) return false;
    else {
      expectedRevision = named;
      reader.bytes();
    }
    return true;
  });
  return { stream, expectedRevision, deadlineAt };
}

function readStreamIdentifier(reader: Reader): Uint8Array {
  let name = emptyBytes;
  eachField(reader, reader.uint32(), (field) => {
    if (field !== 3) return false;
    name = reader.bytes();
    return true;
  });
  return name;
}

function readTimestamp(reader: Reader): number {
  let seconds = 0;
  let nanos = 0;
  eachField(reader, reader.uint32(), (field) => {
    if (field === 1) seconds = numberOf(reader.int64());
    else if (field === 2) nanos = reader.int32();
    else return false;
    return true;
  });
  return seconds * 1_000 + nanos / 1_000_000;
}

function readEvent(reader: Reader): WireEvent {
  let id = '';
  let type = emptyBytes;
  let isJson = false;
  let metadata = emptyBytes;
  let data = emptyBytes;
  eachField(reader, reader.uint32(), (field) => {
    if (field === 1) id = readUuid(reader);
    else if (field === 2) {
      const [key, value] = readMapEntry(reader);
      if (key === 'type') type = value;
      else if (key === 'content-type') isJson = Buffer.from(value).toString('latin1') === 'application/json';
    } else if (field === 3) metadata = reader.bytes();
    else if (field === 4) data = reader.bytes();
    else return false;
    return true;
  });
  return { id, type, isJson, data, metadata };
}

function readMapEntry(reader: Reader): readonly [string, Uint8Array] {
  let key = '';
  let value = emptyBytes;
  eachField(reader, reader.uint32(), (field) => {
    if (field === 1) key = reader.string();
    else if (field === 2) value = reader.bytes();
    else return false;
    return true;
  });
  return [key, value];
}

function readUuid(reader: Reader): string {
  let id = '';
  eachField(reader, reader.uint32(), (field) => {
    if (field === 1) id = readStructuredUuid(reader);
    else if (field === 2) id = reader.string().toLowerCase();
    else return false;
    return true;
  });
  return id;
}

function readStructuredUuid(reader: Reader): string {
  let most = zero;
  let least = zero;
  eachField(reader, reader.uint32(), (field) => {
    if (field === 1) most = reader.int64();
    else if (field === 2) least = reader.int64();
    else return false;
    return true;
  });
  const hex = [most, least].map(hexOf).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Two halves of a 64-bit number: what protobufjs takes, and gives where the long library is present. */
interface Bits {
  readonly low: number;
  readonly high: number;
}

const zero: Bits = { low: 0, high: 0 };
const largestRevision: Bits = { low: 0xffff_ffff, high: 0x7fff_ffff };

const hexOf = (value: Bits | number): string => {
  const { low, high } = typeof value === 'number' ? bitsOf(value) : value;
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
};

const bitsOf = (value: number): Bits => ({ low: value >>> 0, high: Math.floor(value / 2 ** 32) });

const numberOf = (value: number | Bits): number =>
  typeof value === 'number' ? value : (value.high >>> 0) * 2 ** 32 + (value.low >>> 0);

export function encodeReadEvent(event: StoredEvent, form: UuidForm): Uint8Array {
  const writer = protobuf.Writer.create();
  writer.uint32(10).fork();
  writeRecordedEvent(writer.uint32(10), event, form);
  writer.uint32(24).uint64(event.position);
  return writer.ldelim().finish();
}

/** A link, beside the event that it stands for, if that is there. */
export function encodeLinkEvent(
  link: StoredEvent,
  target: StoredEvent | undefined,
  form: UuidForm,
): Uint8Array {
  const writer = protobuf.Writer.create();
  writer.uint32(10).fork();
  if (target) writeRecordedEvent(writer.uint32(10), target, form);
  writeRecordedEvent(writer.uint32(18), link, form);
  writer.uint32(24).uint64(link.position);
  return writer.ldelim().finish();
}

function writeRecordedEvent(writer: Writer, event: StoredEvent, form: UuidForm): void {
  writer.fork();
  writeUuid(writer.uint32(10).fork(), event.id, form).ldelim();
  writeStreamName(writer.uint32(18), event.stream);
  writer
    .uint32(24)
    .uint64((event.revision === tombstoneRevision ? largestRevision : event.revision) as number);
  writer.uint32(32).uint64(event.position);
  writer.uint32(40).uint64(event.position);
  writeMapEntry(writer, 'type', event.type);
  writeMapEntry(writer, 'created', `${event.createdAt}0000`);
  writeMapEntry(writer, 'content-type', event.isJson ? 'application/json' : 'application/octet-stream');
  if (event.metadata.byteLength > 0) writer.uint32(58).bytes(event.metadata);
  writer.uint32(66).bytes(event.data).ldelim();
}

function writeMapEntry(writer: Writer, key: string, value: string): void {
  writer.uint32(50).fork().uint32(10).string(key).uint32(18).string(value).ldelim();
}

function writeStreamName(writer: Writer, stream: string): Writer {
  return writer.fork().uint32(26).string(stream).ldelim();
}

function writeUuid(writer: Writer, id: string, form: UuidForm): Writer {
  if (form === 'string') return writer.uint32(18).string(id);
  const hex = id.replaceAll('-', '');
  const bits = (from: number) =>
    ({
      high: parseInt(hex.slice(from, from + 8), 16),
      low: parseInt(hex.slice(from + 8, from + 16), 16),
    }) as never;
  return writer.uint32(10).fork().uint32(8).int64(bits(0)).uint32(16).int64(bits(16)).ldelim();
}

export interface BatchAppendError {
  /** A canonical gRPC code. */
  readonly code: number;
  readonly message: string;
  /** Full name and bytes of the message that tells the kind of error. */
  readonly detailType: string;
  readonly detail: Uint8Array;
}

export interface BatchAppendSuccess {
  readonly lastRevision: number;
  readonly position: number | undefined;
}

export function encodeBatchAppendResponse(
  correlationId: Uint8Array,
  stream: Uint8Array,
  result: { readonly success: BatchAppendSuccess } | { readonly error: BatchAppendError },
): Uint8Array {
  const writer = protobuf.Writer.create();
  writer.uint32(10).bytes(correlationId);
  if ('error' in result) writeStatus(writer.uint32(18).fork(), result.error).ldelim();
  else writeSuccess(writer.uint32(26).fork(), result.success).ldelim();
  writer.uint32(34).fork().uint32(26).bytes(stream).ldelim();
  return writer.finish();
}

function writeStatus(writer: Writer, { code, message, detailType, detail }: BatchAppendError): Writer {
  writer.uint32(8).int32(code).uint32(18).string(message);
  const typeUrl = `type.googleapis.com/${detailType}`;
  return writer.uint32(26).fork().uint32(10).string(typeUrl).uint32(18).bytes(detail).ldelim();
}

function writeSuccess(writer: Writer, { lastRevision, position }: BatchAppendSuccess): Writer {
  if (lastRevision < 0) writer.uint32(18).fork().ldelim();
  else writer.uint32(8).uint64(lastRevision);
  if (position === undefined) return writer.uint32(34).fork().ldelim();
  return writer.uint32(26).fork().uint32(8).uint64(position).uint32(16).uint64(position).ldelim();
}
