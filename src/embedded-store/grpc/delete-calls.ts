import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import type { AppendOutcome, DeleteRequest } from '../engine.js';
import { InvalidRequest } from '../errors.js';
import type { ExpectedRevision } from '../stored-event.js';
import { callErrorOf, streamDeleted, tooLarge, wrongExpectedVersion, type CallError } from './call-errors.js';
import { shared, streams } from './protocol.js';
import { checkAccess, type StoreContext } from './store-context.js';
import { textOf } from './wire.js';

type DeleteReq = InstanceType<typeof streams.DeleteReq>;
type DeleteResp = InstanceType<typeof streams.DeleteResp>;
type TombstoneReq = InstanceType<typeof streams.TombstoneReq>;
type TombstoneResp = InstanceType<typeof streams.TombstoneResp>;
type Options =
  NonNullable<ReturnType<DeleteReq['getOptions']>> | NonNullable<ReturnType<TombstoneReq['getOptions']>>;

export const deleteCall =
  (context: StoreContext) =>
  (call: ServerUnaryCall<DeleteReq, DeleteResp>, answer: sendUnaryData<DeleteResp>): void => {
    const remove = (request: DeleteRequest) => context.engine.delete(request);
    void run(context, call, remove).then((result) => {
      if ('error' in result) answer(result.error);
      else answer(null, deleteResponse(result.position));
    });
  };

export const tombstoneCall =
  (context: StoreContext) =>
  (call: ServerUnaryCall<TombstoneReq, TombstoneResp>, answer: sendUnaryData<TombstoneResp>): void => {
    const end = (request: DeleteRequest) => context.engine.tombstone(request);
    void run(context, call, end).then((result) => {
      if ('error' in result) answer(result.error);
      else answer(null, tombstoneResponse(result.position));
    });
  };

type Result = { readonly error: CallError } | { readonly position: number | undefined };

async function run(
  context: StoreContext,
  call: ServerUnaryCall<DeleteReq | TombstoneReq, unknown>,
  remove: (request: DeleteRequest) => Promise<AppendOutcome>,
): Promise<Result> {
  try {
    const options = call.request.getOptions();
    if (!options) throw new InvalidRequest('options are missing');
    const stream = textOf(
      options.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array(),
      'stream name',
    );
    checkAccess(context, call.metadata, 'delete', stream);
    const expectedRevision = expectedOf(options);
    return resultOf(stream, expectedRevision, await remove({ stream, expectedRevision }));
  } catch (error) {
    return { error: callErrorOf(error) };
  }
}

function expectedOf(options: Options): ExpectedRevision {
  if (options.hasNoStream()) return 'no-stream';
  if (options.hasStreamExists()) return 'stream-exists';
  return options.hasRevision() ? Number(options.getRevision()) : 'any';
}

function resultOf(stream: string, expected: ExpectedRevision, outcome: AppendOutcome): Result {
  switch (outcome.kind) {
    case 'appended':
      return { position: outcome.position };
    case 'conflict':
      return { error: wrongExpectedVersion(stream, expected, outcome.actualRevision) };
    case 'tombstoned':
      return { error: streamDeleted(stream) };
    case 'too-large':
      return { error: tooLarge(outcome.bytesMax) };
  }
}

function deleteResponse(value: number | undefined): DeleteResp {
  const response = new streams.DeleteResp();
  if (value === undefined) response.setNoPosition(new shared.Empty());
  else response.setPosition(positioned(new streams.DeleteResp.Position(), value));
  return response;
}

function tombstoneResponse(value: number | undefined): TombstoneResp {
  const response = new streams.TombstoneResp();
  if (value === undefined) response.setNoPosition(new shared.Empty());
  else response.setPosition(positioned(new streams.TombstoneResp.Position(), value));
  return response;
}

interface PositionMessage {
  setCommitPosition(value: string): unknown;
  setPreparePosition(value: string): unknown;
}

function positioned<M extends PositionMessage>(message: M, value: number): M {
  message.setCommitPosition(String(value));
  message.setPreparePosition(String(value));
  return message;
}
