import { setImmediate as nextTurn } from 'node:timers/promises';
import type { sendUnaryData, ServerReadableStream } from '@grpc/grpc-js';
import type { AppendOutcome } from '../engine.js';
import { AppendTooLarge, InvalidRequest, StoreStopping, StreamTombstoned } from '../errors.js';
import type { ExpectedRevision } from '../stored-event.js';
import { callErrorOf } from './call-errors.js';
import { shared, streams } from './protocol.js';
import { checkAccess, type StoreContext } from './store-context.js';
import {
  leastBytesOf,
  proposedEventOf,
  textOf,
  type AppendMessage,
  type AppendOptions,
  type WireEvent,
} from './wire.js';

type Response = InstanceType<typeof streams.AppendResp>;

/** One append: the options in the first message, an event in each that follows. */
export const appendCall =
  (context: StoreContext) =>
  (call: ServerReadableStream<AppendMessage, Response>, answer: sendUnaryData<Response>): void => {
    void collectAndAppend(context, call).then(
      (response) => answer(null, response),
      (error: unknown) => answer(callErrorOf(error)),
    );
  };

async function collectAndAppend(
  context: StoreContext,
  call: ServerReadableStream<AppendMessage, Response>,
): Promise<Response> {
  let options: AppendOptions | undefined;
  const events: WireEvent[] = [];
  let bytes = 0;
  for await (const message of messagesOf(context, call)) {
    if (message === undefined) continue;
    if ('options' in message) {
      if (options) throw new InvalidRequest('options came twice');
      options = message.options;
    } else {
      bytes += leastBytesOf(message.event);
      // The rest is read and dropped, so that the caller hears the answer.
      if (bytes <= context.engine.appendBytesMax) events.push(message.event);
    }
  }
  await checkComplete(call);
  if (bytes > context.engine.appendBytesMax) throw new AppendTooLarge(context.engine.appendBytesMax);
  if (options === undefined) throw new InvalidRequest('options are missing');
  const stream = textOf(options.stream, 'stream name');
  checkAccess(context, call.metadata, 'write', stream);
  const { expectedRevision } = options;
  const request = { stream, expectedRevision, events: events.map(proposedEventOf) };
  return responseOf(stream, expectedRevision, await context.engine.append(request));
}

/**
 * A call that is cut off looks like one whose sender has finished, until a moment later: without waiting for that, the
 * first events of an append would be written without the last.
 *
 * @throws Error to nobody, since the caller is gone
 */
async function checkComplete(call: ServerReadableStream<AppendMessage, Response>): Promise<void> {
  await nextTurn();
  await nextTurn();
  if (call.cancelled) throw new Error('the call was cut off');
}

/** A caller that is still sending when the store stops is told so; otherwise its connection would break, and it could not know. */
async function* messagesOf(
  { stopping }: StoreContext,
  call: ServerReadableStream<AppendMessage, Response>,
): AsyncGenerator<AppendMessage> {
  const refuse = () => call.destroy(new StoreStopping());
  stopping.addEventListener('abort', refuse);
  try {
    yield* call as AsyncIterable<AppendMessage>;
  } finally {
    stopping.removeEventListener('abort', refuse);
  }
}

function responseOf(stream: string, expected: ExpectedRevision, outcome: AppendOutcome): Response {
  switch (outcome.kind) {
    case 'appended':
      return success(outcome.lastRevision, outcome.position);
    case 'conflict':
      return wrongVersion(expected, outcome.actualRevision);
    case 'tombstoned':
      throw new StreamTombstoned(stream);
    case 'too-large':
      throw new AppendTooLarge(outcome.bytesMax);
  }
}

function success(lastRevision: number, position: number | undefined): Response {
  const success = new streams.AppendResp.Success();
  if (lastRevision < 0) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(String(lastRevision));
  if (position === undefined) success.setNoPosition(new shared.Empty());
  else success.setPosition(positionOf(position));
  const response = new streams.AppendResp();
  response.setSuccess(success);
  return response;
}

function positionOf(value: number) {
  const position = new streams.AppendResp.Position();
  position.setCommitPosition(String(value));
  position.setPreparePosition(String(value));
  return position;
}

function wrongVersion(expected: ExpectedRevision, actual: number | undefined): Response {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (actual === undefined) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(actual));
  if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else if (expected === 'no-stream') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected === 'stream-exists') wrong.setExpectedStreamExists(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  const response = new streams.AppendResp();
  response.setWrongExpectedVersion(wrong);
  return response;
}
