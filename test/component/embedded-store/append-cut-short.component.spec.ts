import { randomUUID } from 'node:crypto';
import {
  credentials,
  makeGenericClientConstructor,
  Metadata,
  status,
  type Client,
  type ClientDuplexStream,
  type ClientWritableStream,
  type ServiceError,
} from '@grpc/grpc-js';
import { expect, test } from '@jest/globals';
import { shared, streams, StreamsService } from '../../../src/embedded-store/grpc/protocol.js';
import { startStoreServer } from '../../kit/store-server.js';

/** A second call on the connection is answered after those before have come. */
const untilReceived = async (client: StreamsClient): Promise<void> =>
  new Promise((resolve) => client.append(new Metadata(), () => resolve()).end(optionsOf('finished')));

test('an append whose end has not come when the store stops is refused', async () => {
  const running = await startStoreServer();
  const client = connect(running.endpoint);
  const refused = new Promise<ServiceError | null>((resolve) => {
    client.append(new Metadata(), resolve).write(optionsOf('unfinished'));
  });
  await untilReceived(client);
  const removed = running.remove();
  expect(await refused).toMatchObject({
    code: status.UNAVAILABLE,
    details: 'append-refused: the store is stopping',
  });
  client.close();
  await removed;
});

test('a batch of appends ends at once when the store stops', async () => {
  const running = await startStoreServer();
  const client = connect(running.endpoint);
  const batch = client.batchAppend(new Metadata());
  const ended = new Promise((resolve) => batch.on('error', resolve).on('data', () => undefined));
  await untilReceived(client);
  const removed = running.remove();
  expect(await ended).toMatchObject({ code: status.CANCELLED, details: 'the store is stopping' });
  client.close();
  await removed;
});

test('an append whose caller leaves before its end is not written, not even in part', async () => {
  const running = await startStoreServer();
  const client = connect(running.endpoint);
  const cut = new Promise((resolve) => {
    const call = client.append(new Metadata(), resolve);
    call.write(optionsOf('cut'));
    call.write(anEvent());
    void untilReceived(client).then(() => call.cancel());
  });
  await cut;
  const answer = await new Promise<unknown>((resolve) => {
    client.append(new Metadata(), (_error, response) => resolve(response)).end(optionsOf('cut'));
  });
  client.close();
  await running.remove();
  expect((answer as InstanceType<typeof streams.AppendResp>).getSuccess()?.hasNoStream()).toBe(true);
});

interface StreamsClient extends Client {
  append(
    metadata: Metadata,
    answer: (error: ServiceError | null, response?: unknown) => void,
  ): ClientWritableStream<unknown>;
  batchAppend(metadata: Metadata): ClientDuplexStream<unknown, unknown>;
}

function connect(endpoint: string): StreamsClient {
  const Streams = makeGenericClientConstructor(StreamsService, 'Streams');
  return new Streams(endpoint, credentials.createInsecure()) as unknown as StreamsClient;
}

function optionsOf(stream: string) {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream).toString('base64'));
  const options = new streams.AppendReq.Options();
  options.setStreamIdentifier(identifier);
  options.setAny(new shared.Empty());
  const request = new streams.AppendReq();
  request.setOptions(options);
  return request;
}

function anEvent() {
  const id = new shared.UUID();
  id.setString(randomUUID());
  const message = new streams.AppendReq.ProposedMessage();
  message.setId(id);
  message.getMetadataMap().set('type', 'test');
  message.getMetadataMap().set('content-type', 'application/json');
  const request = new streams.AppendReq();
  request.setProposedMessage(message);
  return request;
}
