import type { EventStoreDBClient } from '@eventstore/db-client';
import type { Channel } from '@grpc/grpc-js';
import { completeTrailers } from './client-errors.js';
import { internalsOf, type ClientInternals, type ClientStream } from './client-internals.js';
import type { Endpoint } from './session.js';

/** How long to wait for cancelled calls to say that they have ended, in milliseconds. */
const disposeMaxMs = 1_000;

/**
 * Holds every call and channel of one client, so that it can be ended whole.
 *
 * The client's own `dispose` cancels the calls it knows at that moment; it leaves the channel open, with its keepalive, and
 * calls that are being created. Its own way of reconnecting is switched off: it would go on with what the broken connection
 * left behind.
 */
export class ClientLifeline {
  private readonly client: EventStoreDBClient;
  private readonly streams = new Set<ClientStream>();
  private readonly channels: Promise<Channel>[] = [];
  private isEnded = false;

  constructor(client: EventStoreDBClient, leader: Endpoint | undefined) {
    this.client = client;
    const internals = internalsOf(client);
    internals.handleError = () => Promise.resolve();
    // A wrong revision without a throw would be reported with a wrong number, whatever the connection string asks for.
    Object.defineProperty(client, 'throwOnAppendFailure', { value: true });
    if (leader) internals.resolveUri = () => Promise.resolve(`${leader.address}:${leader.port}`);
    this.holdChannels(internals);
    this.holdStreams(internals);
  }

  get openCallCount(): number {
    return this.streams.size;
  }

  /** Resolves once all calls have ended, or after a second at the latest. */
  async end(): Promise<void> {
    this.isEnded = true;
    const disposed = this.client.dispose();
    for (const stream of this.streams) stream.cancel?.();
    await settledWithin(disposed, disposeMaxMs);
    for (const channel of this.channels) channel.then(closeChannel, () => undefined);
  }

  private holdChannels(internals: ClientInternals): void {
    const getChannel = internals.getChannel;
    internals.getChannel = () => {
      const channel = getChannel();
      this.channels.push(channel);
      if (this.isEnded) channel.then(closeChannel, () => undefined);
      return channel;
    };
  }

  private holdStreams(internals: ClientInternals): void {
    const create = internals.GRPCStreamCreator;
    internals.GRPCStreamCreator = (kind, debugName, creator, cache) =>
      create(kind, debugName, (grpcClient) => this.hold(creator(grpcClient)), cache);
  }

  // The client's creators are synchronous in fact; awaiting them here would change the order of appends.
  private hold(created: ClientStream | Promise<ClientStream>): ClientStream | Promise<ClientStream> {
    if (created instanceof Promise) return created.then((stream) => this.hold(stream));
    created.prependListener('error', completeTrailers);
    this.streams.add(created);
    for (const end of ['end', 'error', 'close']) created.once(end, () => this.streams.delete(created));
    if (this.isEnded) created.cancel?.();
    return created;
  }
}

const closeChannel = (channel: Channel): void => {
  channel.close();
};

const settledWithin = async (promise: Promise<unknown>, ms: number): Promise<void> => {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const settle = (): void => {
      clearTimeout(timer);
      resolve();
    };
    promise.then(settle, settle);
  });
};
