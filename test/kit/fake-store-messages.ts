import code from '@eventstore/db-client/generated/code_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';

/** An event as the fake store keeps it. */
export interface FakeEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  readonly createdAt: number;
}

export type ReadResponse = InstanceType<typeof streams.ReadResp>;
export type BatchResponse = InstanceType<typeof streams.BatchAppendResp>;
export type StatusMessage = InstanceType<typeof status.Status>;

const streamIdentifier = (stream: string) => {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream).toString('base64'));
  return identifier;
};

const uuid = (id: string) => {
  const message = new shared.UUID();
  message.setString(id);
  return message;
};

export const eventResponse = (event: FakeEvent): ReadResponse => {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(uuid(event.id));
  recorded.setStreamIdentifier(streamIdentifier(event.stream));
  recorded.setStreamRevision(String(event.revision));
  recorded.setCommitPosition(String(event.position));
  recorded.setPreparePosition(String(event.position));
  recorded.setData(event.data);
  recorded.setCustomMetadata(event.metadata);
  const ticks = BigInt(event.createdAt) * 10_000n;
  recorded.getMetadataMap().set('type', event.type);
  recorded.getMetadataMap().set('content-type', event.contentType);
  recorded.getMetadataMap().set('created', String(ticks));
  const read = new streams.ReadResp.ReadEvent();
  read.setEvent(recorded);
  read.setCommitPosition(String(event.position));
  const response = new streams.ReadResp();
  response.setEvent(read);
  return response;
};

export const streamNotFoundResponse = (stream: string): ReadResponse => {
  const notFound = new streams.ReadResp.StreamNotFound();
  notFound.setStreamIdentifier(streamIdentifier(stream));
  const response = new streams.ReadResp();
  response.setStreamNotFound(notFound);
  return response;
};

export const confirmationResponse = (): ReadResponse => {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation();
  confirmation.setSubscriptionId('subscription');
  const response = new streams.ReadResp();
  response.setConfirmation(confirmation);
  return response;
};

export const caughtUpResponse = (): ReadResponse => {
  const response = new streams.ReadResp();
  response.setCaughtUp(new streams.ReadResp.CaughtUp());
  return response;
};

export const checkpointResponse = (position: number): ReadResponse => {
  const checkpoint = new streams.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(String(position));
  checkpoint.setPreparePosition(String(position));
  const response = new streams.ReadResp();
  response.setCheckpoint(checkpoint);
  return response;
};

const statusOf = (name: string, bytes: Uint8Array, message: string): StatusMessage => {
  const details = new any.Any();
  details.pack(bytes, name);
  const answer = new status.Status();
  answer.setMessage(message);
  answer.setDetails(details);
  return answer;
};

export const wrongVersionStatus = (actual: number): StatusMessage => {
  const details = new shared.WrongExpectedVersion();
  if (actual < 0) details.setCurrentNoStream(new empty.Empty());
  else details.setCurrentStreamRevision(String(actual));
  return statusOf('event_store.client.WrongExpectedVersion', details.serializeBinary(), 'wrong version');
};

/** A status that carries no more than its name, such as `Timeout` or `AccessDenied`. */
export const namedStatus = (name: 'Timeout' | 'Unknown' | 'AccessDenied'): StatusMessage =>
  statusOf(`event_store.client.${name}`, new Uint8Array(), name);

export const tooLargeStatus = (bytesMax: number): StatusMessage => {
  const details = new shared.MaximumAppendSizeExceeded();
  details.setMaxappendsize(bytesMax);
  return statusOf('event_store.client.MaximumAppendSizeExceeded', details.serializeBinary(), 'too large');
};

export const deletedStatus = (stream: string): StatusMessage => {
  const details = new shared.StreamDeleted();
  details.setStreamIdentifier(streamIdentifier(stream));
  return statusOf('event_store.client.StreamDeleted', details.serializeBinary(), 'deleted');
};

/** A refusal that says by its code alone that the request was wrong. */
export const invalidStatus = (reason: string): StatusMessage => {
  const answer = statusOf('google.protobuf.Empty', new Uint8Array(), reason);
  answer.setCode(code.Code.INVALID_ARGUMENT);
  return answer;
};

/** How the embedded store says that it surely wrote nothing. */
export const refusalStatus = (reason: string): StatusMessage =>
  statusOf('google.protobuf.Empty', new Uint8Array(), `append-refused: ${reason}`);

export const batchResponse = (
  correlationId: string,
  stream: string,
  answer: { readonly revision: number; readonly position: number } | StatusMessage,
): BatchResponse => {
  const response = new streams.BatchAppendResp();
  response.setCorrelationId(uuid(correlationId));
  response.setStreamIdentifier(streamIdentifier(stream));
  if (answer instanceof status.Status) {
    response.setError(answer);
    return response;
  }
  const position = new shared.AllStreamPosition();
  position.setCommitPosition(String(answer.position));
  position.setPreparePosition(String(answer.position));
  const success = new streams.BatchAppendResp.Success();
  success.setCurrentRevision(String(answer.revision));
  success.setPosition(position);
  response.setSuccess(success);
  return response;
};
