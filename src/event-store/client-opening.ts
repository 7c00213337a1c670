import { EventStoreDBClient } from '@eventstore/db-client';
import serverFeatures from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Metadata, status } from '@grpc/grpc-js';
import { internalsOf } from './client-internals.js';
import { ClientLifeline } from './client-lifeline.js';
import { ClientSession, type ClientSessionOptions } from './client-session.js';
import { StoreAddressInvalid } from './errors.js';
import { abortable } from './scope.js';
import type { Endpoint } from './session.js';

/** Where the store is: a connection string (`esdb://`, `esdb+discover://`), or the Unix socket of a store on this machine. */
export type StoreAddress = { readonly connectionString: string } | { readonly socketPath: string };

/** @throws StoreAddressInvalid if the connection string cannot be read, or names files that are not there */
export const createClient = (address: StoreAddress): EventStoreDBClient => {
  try {
    return 'socketPath' in address
      ? new EventStoreDBClient({ endpoint: `unix:${address.socketPath}` }, { insecure: true })
      : EventStoreDBClient.connectionString(withOneDiscovery(address.connectionString));
  } catch (error) {
    // The client's error carries the whole connection string, so it is not passed on as the cause.
    throw new StoreAddressInvalid(error instanceof Error ? error.message : 'unreadable');
  }
};

/** Discovery is tried again with each session, for ever; trying ten times within one would go on behind its back. */
const withOneDiscovery = (connectionString: string): string => {
  if (/[?&]max[_-]?discover[_-]?attempts=/iu.test(connectionString)) return connectionString;
  const trimmed = connectionString.trim().replace(/\/+$/u, '');
  return `${trimmed}${trimmed.includes('?') ? '&' : '?'}maxDiscoverAttempts=1`;
};

/** Whether the client will ignore the credentials of the connection string, which it does without TLS. */
export const ignoresCredentials = (address: StoreAddress): boolean =>
  'connectionString' in address &&
  /^[^:]+:\/\/[^@/]+@/u.test(address.connectionString) &&
  /[?&]tls=false/iu.test(address.connectionString);

export interface OpeningOptions extends ClientSessionOptions {
  readonly openTimeoutMs: number;
}

/**
 * A session that has proved that somebody answers: creating the client opens nothing, and an append to a dead server would only
 * then surface as a raw gRPC error, when it may have been sent.
 */
export const openClientSession = async (
  address: StoreAddress,
  leader: Endpoint | undefined,
  options: OpeningOptions,
  signal: AbortSignal,
): Promise<ClientSession> => {
  const client = createClient(address);
  const session = new ClientSession(client, new ClientLifeline(client, leader), options);
  try {
    await abortable(learnFeatures(client, options.openTimeoutMs), signal);
    return session;
  } catch (error) {
    await session.dispose();
    throw error;
  }
};

const learnFeatures = async (client: EventStoreDBClient, timeoutMs: number): Promise<void> => {
  const internals = internalsOf(client);
  await internals.execute(serverFeatures.ServerFeaturesClient, 'open', (grpcClient: ServerFeaturesClient) =>
    answerOf(grpcClient, timeoutMs),
  );
  // The client asks once more, for itself and without a deadline; it is warm now, and the first append need not wait.
  await internals.supports(streams.StreamsService.batchAppend);
};

const answerOf = async (grpcClient: ServerFeaturesClient, timeoutMs: number): Promise<void> => {
  await new Promise<void>((resolve, reject) => {
    const deadline = Date.now() + timeoutMs;
    grpcClient.getSupportedMethods(new shared.Empty(), new Metadata(), { deadline }, (error) => {
      // Servers that do not know the call are old, not dead.
      if (error && error.code !== status.UNIMPLEMENTED) reject(error);
      else resolve();
    });
  });
};
