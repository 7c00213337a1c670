import { setImmediate as nextTurn } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { InvalidRequest, StreamTombstoned } from '../errors.js';
import { everyEvent, predicateOf, type EventPredicate } from '../event-filter.js';
import { followAll, followStream, type FollowItem } from '../follow.js';
import { isLink, targetOf } from '../links.js';
import type { StoredEvent } from '../stored-event.js';
import { limits } from '../limits.js';
import { callErrorOf, stopping } from './call-errors.js';
import type { MessageGroup } from './message-groups.js';
import { shared, streams } from './protocol.js';
import { checkAccess, isAllowed, type StoreContext } from './store-context.js';
import { encodeLinkEvent, encodeReadEvent, textOf, type UuidForm } from './wire.js';

type ReadReq = InstanceType<typeof streams.ReadReq>;
type Options = NonNullable<ReturnType<ReadReq['getOptions']>>;
/** Responses reach gRPC encoded. */
type Call = ServerWritableStream<ReadReq, MessageGroup>;

/** Reads and subscriptions, of a stream or of the whole log: the protocol has one call for all of them. */
export const readCall =
  (context: StoreContext) =>
  (call: Call): void => {
    const over = new AbortController();
    const end = () => over.abort();
    for (const event of ['cancelled', 'error', 'close']) call.on(event, end);
    // By hand: a signal made by AbortSignal.any is never quite forgotten by one that lives as long as the store.
    context.stopping.addEventListener('abort', end);
    void answer(context, call, over.signal)
      .then(
        () => (context.stopping.aborted ? fail(call, stopping) : call.end()),
        (error: unknown) => fail(call, callErrorOf(error)),
      )
      .finally(() => context.stopping.removeEventListener('abort', end));
  };

function fail(call: Call, error: ReturnType<typeof callErrorOf>): void {
  call.emit('error', error);
}

async function answer(context: StoreContext, call: Call, signal: AbortSignal): Promise<void> {
  const options = call.request.getOptions();
  if (!options?.hasUuidOption()) throw new InvalidRequest('options.uuid_option is missing');
  const send = sender(call, encoderOf(context, call, options), signal);
  if (options.hasStream()) await answerStream(context, call, options, send, signal);
  else if (options.hasAll()) await answerAll(context, call, options, send, signal);
  else throw new InvalidRequest('options must name a stream, or all');
}

async function answerStream(
  context: StoreContext,
  call: Call,
  options: Options,
  send: Sender,
  signal: AbortSignal,
) {
  const stream = textOf(
    options.getStream()?.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array(),
    'stream name',
  );
  if (stream === '') throw new InvalidRequest('stream name is empty');
  checkAccess(context, call.metadata, 'read', stream);
  const from = startOf(options.getStream(), (place) => place.getRevision());
  if (options.hasSubscription()) {
    await send.follow(followStream(context.engine, stream, from, signal));
  } else {
    await sendStream(context, stream, from, options, send, signal);
  }
}

async function sendStream(
  { engine }: StoreContext,
  stream: string,
  from: number | 'start' | 'end',
  options: Options,
  send: Sender,
  signal: AbortSignal,
): Promise<void> {
  const direction = directionOf(options);
  let next: number | 'start' | 'end' | undefined = from;
  for (let left = countOf(options); next !== undefined && left > 0 && !signal.aborted;) {
    const page = engine.readStream({ stream, direction, from: next, maxCount: left });
    if (page.kind === 'tombstoned') throw new StreamTombstoned(stream);
    if (page.kind === 'not-found') return send.notFound(stream);
    await send.events(page.events);
    left -= page.events.length;
    next = page.next;
    await nextTurn();
  }
}

async function answerAll(
  context: StoreContext,
  call: Call,
  options: Options,
  send: Sender,
  signal: AbortSignal,
) {
  checkAccess(context, call.metadata, 'read', '$all');
  const from = startOf(options.getAll(), (place) => place.getPosition()?.getCommitPosition());
  const matches = matchesOf(options);
  if (options.hasSubscription()) {
    const checkpointInterval = checkpointIntervalOf(options);
    const follow = { after: from, matches, ...(checkpointInterval !== undefined && { checkpointInterval }) };
    await send.follow(followAll(context.engine, follow, signal));
  } else {
    await sendAll(context, from, matches, options, send, signal);
  }
}

async function sendAll(
  { engine }: StoreContext,
  from: number | 'start' | 'end',
  matches: EventPredicate,
  options: Options,
  send: Sender,
  signal: AbortSignal,
): Promise<void> {
  const direction = directionOf(options);
  let next: number | 'start' | 'end' | undefined = from;
  for (let left = countOf(options); next !== undefined && left > 0 && !signal.aborted;) {
    const page = engine.readAll({ direction, from: next, maxCount: left, matches });
    await send.events(page.events);
    left -= page.events.length;
    next = page.next;
    await nextTurn();
  }
}

interface Place {
  hasStart(): boolean;
  hasEnd(): boolean;
}

function startOf<P extends Place>(
  place: P | undefined,
  exact: (place: P) => string | undefined,
): number | 'start' | 'end' {
  if (!place || place.hasStart()) return 'start';
  return place.hasEnd() ? 'end' : safe(exact(place));
}

const directionOf = (options: Options) =>
  options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS ? 'backwards' : 'forwards';

const countOf = (options: Options): number => (options.hasCount() ? safe(options.getCount()) : 0);

/** Numbers of the protocol have 64 bits; what is beyond the safe ones stands for "to the end". */
const safe = (text: string | undefined): number => Math.min(Number(text ?? 0), Number.MAX_SAFE_INTEGER);

function matchesOf(options: Options): EventPredicate {
  const filter = options.getFilter();
  if (!filter) return everyEvent;
  const byStream = filter.getStreamIdentifier();
  const expression = byStream ?? filter.getEventType();
  if (!expression) throw new InvalidRequest('filter must be on the stream or on the event type');
  const on = byStream ? 'stream' : 'type';
  return predicateOf({ on, prefixes: expression.getPrefixList(), regex: expression.getRegex() });
}

function checkpointIntervalOf(options: Options): number | undefined {
  const filter = options.getFilter();
  if (!filter) return undefined;
  const window = filter.hasMax() ? filter.getMax() : limits.searchWindowDefault;
  return Math.max(1, window * Math.max(1, filter.getCheckpointintervalmultiplier()));
}

type Encode = (event: StoredEvent) => Uint8Array;

function encoderOf(context: StoreContext, call: Call, options: Options): Encode {
  const form: UuidForm = options.getUuidOption()?.hasString() ? 'string' : 'structured';
  if (!options.getResolveLinks()) return (event) => encodeReadEvent(event, form);
  const mayRead = (stream: string) => isAllowed(context, call.metadata, 'read', stream);
  return (event) =>
    isLink(event)
      ? encodeLinkEvent(event, targetOf(event, context.engine, mayRead), form)
      : encodeReadEvent(event, form);
}

type Sender = ReturnType<typeof sender>;

/** Writes answers as fast as the reader takes them. */
function sender(call: Call, encode: Encode, signal: AbortSignal) {
  const write = async (group: MessageGroup): Promise<void> => {
    if (signal.aborted) return;
    const bytes = group.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (bytes >= limits.largeGroupBytes) await taken(call, group, signal);
    else if (!call.write(group)) await drained(call, signal);
  };
  const events = async (page: readonly StoredEvent[]): Promise<void> => {
    for (const group of groupsOf(page, encode)) await write(group);
  };
  return {
    events,
    notFound: (stream: string) => write([notFound(stream)]),
    follow: async (items: AsyncIterable<FollowItem>): Promise<void> => {
      await write([confirmation()]);
      for await (const item of items) {
        if (item.kind === 'events') await events(item.events);
        else await write([encodeItem(item)]);
      }
    },
  };
}

/** Cuts a page into what is handed over at once. */
function* groupsOf(page: readonly StoredEvent[], encode: Encode): Generator<MessageGroup> {
  let group: Uint8Array[] = [];
  let bytes = 0;
  for (const event of page) {
    const message = encode(event);
    group.push(message);
    bytes += message.byteLength;
    if (bytes < limits.messageGroupBytes) continue;
    yield group;
    [group, bytes] = [[], 0];
  }
  if (group.length > 0) yield group;
}

/** Writes the group and waits until the socket has it, or nobody wants it any longer. */
async function taken(call: Call, group: MessageGroup, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    call.write(group, done);
  });
}

/** Waits until the socket takes more, or nobody wants it any longer; leaves no listener behind. */
async function drained(call: Call, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      call.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    call.on('drain', done);
    signal.addEventListener('abort', done);
  });
}

function encodeItem(item: Exclude<FollowItem, { kind: 'events' }>): Uint8Array {
  const response = new streams.ReadResp();
  switch (item.kind) {
    case 'caught-up':
      response.setCaughtUp(new streams.ReadResp.CaughtUp());
      break;
    case 'fell-behind':
      response.setFellBehind(new streams.ReadResp.FellBehind());
      break;
    case 'checkpoint':
      response.setCheckpoint(checkpointAt(item.position));
      break;
  }
  return response.serializeBinary();
}

function checkpointAt(position: number) {
  const checkpoint = new streams.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(String(Math.max(0, position)));
  checkpoint.setPreparePosition(String(Math.max(0, position)));
  return checkpoint;
}

function confirmation(): Uint8Array {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation();
  confirmation.setSubscriptionId(randomUUID());
  const response = new streams.ReadResp();
  response.setConfirmation(confirmation);
  return response.serializeBinary();
}

function notFound(stream: string): Uint8Array {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream).toString('base64'));
  const missing = new streams.ReadResp.StreamNotFound();
  missing.setStreamIdentifier(identifier);
  const response = new streams.ReadResp();
  response.setStreamNotFound(missing);
  return response.serializeBinary();
}
