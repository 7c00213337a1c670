import {
  credentials,
  makeGenericClientConstructor,
  Metadata,
  status,
  type Client,
  type ClientWritableStream,
  type ServiceError,
} from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { shared, streams, StreamsService } from '../../../src/embedded-store/grpc/protocol.js';
import { startStoreServer, type RunningServer } from '../../kit/store-server.js';

let running: RunningServer;
beforeAll(async () => (running = await startStoreServer()));
afterAll(async () => running.remove());

test('an append whose end has not come when the store stops is refused', async () => {
  const client = connect(running.endpoint);
  const refused = new Promise<ServiceError | null>((resolve) => {
    client.append(new Metadata(), resolve).write(optionsOf('unfinished'));
  });
  // A second call on the connection is answered after the first has come.
  await new Promise((resolve) => client.append(new Metadata(), resolve).end(optionsOf('finished')));
  const stopped = running.server.stop();
  expect(await refused).toMatchObject({
    code: status.UNAVAILABLE,
    details: 'append-refused: the store is stopping',
  });
  client.close();
  await stopped;
});

interface StreamsClient extends Client {
  append(metadata: Metadata, answer: (error: ServiceError | null) => void): ClientWritableStream<unknown>;
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
