import type { Channel } from '@grpc/grpc-js';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { EventStoreDBClient } from '@eventstore/db-client';

export type ClientStream = (Readable | Writable | Duplex) & { cancel?: () => void };

export type StreamCreator = (client: object) => ClientStream | Promise<ClientStream>;

/**
 * What the official client keeps from its users and its defects cannot be handled without. Its members are instance properties
 * in 6.2.1, which is why the version is pinned; the tests of the defects tell when an update changes them.
 */
export interface ClientInternals {
  GRPCStreamCreator: (
    kind: unknown,
    debugName: string,
    creator: StreamCreator,
    cache?: unknown,
  ) => () => Promise<ClientStream>;
  handleError: (client: unknown, error: Error) => Promise<void>;
  getChannel: () => Promise<Channel>;
  resolveUri: () => Promise<string>;
  readonly execute: <T>(
    kind: unknown,
    debugName: string,
    action: (client: never) => Promise<T>,
  ) => Promise<T>;
  readonly supports: (method: unknown) => Promise<boolean>;
}

/** The client of which these are the internals. */
export const internalsOf = (client: EventStoreDBClient): ClientInternals =>
  client as unknown as ClientInternals;
