import { Metadata, status as grpcStatus, type StatusObject } from '@grpc/grpc-js';
import { AccessDenied } from '../access-control.js';
import type { AppendOutcome } from '../engine.js';
import {
  AppendTooLarge,
  DamagedEvent,
  InvalidRequest,
  LogFailed,
  StoreStopping,
  StreamTombstoned,
  WriteRefused,
} from '../errors.js';
import type { ExpectedRevision } from '../stored-event.js';
import { protobufEmpty, shared } from './protocol.js';
import type { BatchAppendError } from './wire.js';

/**
 * How trouble is told over the wire: a gRPC status whose trailers name the exception, as EventStoreDB's clients read
 * them, or an entry of a batch append's answer.
 */
export type CallError = Pick<StatusObject, 'code' | 'details' | 'metadata'>;

function callError(code: grpcStatus, details: string, trailers: Record<string, string> = {}): CallError {
  return { code, details, metadata: Metadata.fromHttp2Headers(encoded(trailers)) };
}

/** Header values are Latin-1 at most; what is not is percent-encoded, as gRPC does with its own messages. */
const encoded = (trailers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(trailers).map(([name, value]) => [
      name,
      /^[\x20-\x7e]*$/.test(value) ? value : encodeURI(value),
    ]),
  );

/** Begins the message of an append that surely wrote nothing, so that a client need not ask what became of it. */
const refusalPrefix = 'append-refused: ';

/** How calls end that were under way when the store was asked to stop. EventStoreDB cancels them as well. */
export const stopping = callError(grpcStatus.CANCELLED, 'the store is stopping');

export function callErrorOf(error: unknown): CallError {
  if (error instanceof AccessDenied) {
    return callError(grpcStatus.PERMISSION_DENIED, error.message, { exception: 'access-denied' });
  }
  if (error instanceof AppendTooLarge) return tooLarge(error.bytesMax);
  if (error instanceof StreamTombstoned) return streamDeleted(error.stream);
  if (error instanceof InvalidRequest) return callError(grpcStatus.INVALID_ARGUMENT, error.message);
  if (error instanceof WriteRefused) {
    return callError(grpcStatus.RESOURCE_EXHAUSTED, `${refusalPrefix}${error.message}`);
  }
  if (error instanceof StoreStopping) {
    return callError(grpcStatus.UNAVAILABLE, `${refusalPrefix}${error.message}`);
  }
  if (error instanceof DamagedEvent) return callError(grpcStatus.DATA_LOSS, error.message);
  if (error instanceof LogFailed) return callError(grpcStatus.UNAVAILABLE, error.message);
  return callError(grpcStatus.UNKNOWN, error instanceof Error ? error.message : String(error));
}

export const streamDeleted = (stream: string): CallError =>
  callError(grpcStatus.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

export const tooLarge = (bytesMax: number): CallError =>
  callError(grpcStatus.INVALID_ARGUMENT, `Maximum Append Size of ${bytesMax} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(bytesMax),
  });

export function wrongExpectedVersion(
  stream: string,
  expected: ExpectedRevision,
  actual: number | undefined,
): CallError {
  const [expectedVersion, actualVersion] = [
    versionOf(expected),
    actual === undefined ? 'no stream' : String(actual),
  ];
  return callError(
    grpcStatus.FAILED_PRECONDITION,
    `Stream ${stream}: expected version ${expectedVersion}, actual version ${actualVersion}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': expectedVersion,
      ...(actual !== undefined && { 'actual-version': actualVersion }),
    },
  );
}

/** EventStoreDB's numbers for the expectations that are no revision. */
function versionOf(expected: ExpectedRevision): string {
  switch (expected) {
    case 'no-stream':
      return '-1';
    case 'any':
      return '-2';
    case 'stream-exists':
      return '-4';
    default:
      return String(expected);
  }
}

const emptyDetail = {
  detailType: 'google.protobuf.Empty',
  detail: new protobufEmpty.Empty().serializeBinary(),
};

export function batchErrorOf(error: unknown): BatchAppendError {
  if (error instanceof AccessDenied) {
    const detail = new shared.AccessDenied().serializeBinary();
    return {
      code: grpcStatus.PERMISSION_DENIED,
      message: error.message,
      detailType: 'event_store.client.AccessDenied',
      detail,
    };
  }
  if (error instanceof AppendTooLarge) return batchTooLarge(error.bytesMax);
  const { code, details } = callErrorOf(error);
  const isRefusal = error instanceof InvalidRequest || error instanceof WriteRefused;
  const message = isRefusal && !details.startsWith(refusalPrefix) ? `${refusalPrefix}${details}` : details;
  return { code, message, ...emptyDetail };
}

export const batchDeadlineExceeded = (): BatchAppendError => ({
  code: grpcStatus.DEADLINE_EXCEEDED,
  message: 'the deadline had passed before the append was complete',
  detailType: 'event_store.client.Timeout',
  detail: new shared.Timeout().serializeBinary(),
});

/** The entry for an append that had an outcome other than success. */
export function batchErrorOfOutcome(
  outcome: Exclude<AppendOutcome, { kind: 'appended' }>,
  expected: ExpectedRevision,
): BatchAppendError {
  switch (outcome.kind) {
    case 'conflict':
      return {
        code: grpcStatus.FAILED_PRECONDITION,
        message: 'WrongExpectedVersion',
        detailType: 'event_store.client.WrongExpectedVersion',
        detail: wrongVersionDetail(expected, outcome.actualRevision),
      };
    case 'tombstoned':
      return {
        code: grpcStatus.FAILED_PRECONDITION,
        message: 'StreamDeleted',
        detailType: 'event_store.client.StreamDeleted',
        detail: new shared.StreamDeleted().serializeBinary(),
      };
    case 'too-large':
      return batchTooLarge(outcome.bytesMax);
  }
}

function batchTooLarge(bytesMax: number): BatchAppendError {
  const detail = new shared.MaximumAppendSizeExceeded();
  detail.setMaxappendsize(bytesMax);
  return {
    code: grpcStatus.INVALID_ARGUMENT,
    message: `Maximum Append Size of ${bytesMax} Exceeded.`,
    detailType: 'event_store.client.MaximumAppendSizeExceeded',
    detail: detail.serializeBinary(),
  };
}

function wrongVersionDetail(expected: ExpectedRevision, actual: number | undefined): Uint8Array {
  const detail = new shared.WrongExpectedVersion();
  const empty = new protobufEmpty.Empty();
  if (actual === undefined) detail.setCurrentNoStream(empty);
  else detail.setCurrentStreamRevision(String(actual));
  if (expected === 'no-stream') detail.setExpectedNoStream(empty);
  else if (expected === 'any') detail.setExpectedAny(empty);
  else if (expected === 'stream-exists') detail.setExpectedStreamExists(empty);
  else detail.setExpectedStreamPosition(String(expected));
  return detail.serializeBinary();
}
