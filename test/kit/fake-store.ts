import { EventEmitter, once } from 'node:events';
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import featureMessages from '@eventstore/db-client/generated/serverfeatures_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import {
  Server,
  ServerCredentials,
  type Metadata,
  type UntypedHandleCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { FakeAppend, type BatchCall } from './fake-append.js';
import { FakeLog, type NewFakeEvent } from './fake-log.js';
import { eventResponse, streamNotFoundResponse, type FakeEvent } from './fake-store-messages.js';
import { FakeSubscription, type ReadCall } from './fake-subscription.js';

/**
 * A store on a real wire that does what a test tells it: it can answer, stay silent, answer late, contradict itself or vanish.
 * What is not told otherwise, it does as the store would. It is for the trouble that a good store does not make.
 */
export class FakeStore {
  readonly log = new FakeLog();
  /** Emits `append`, `read`, `subscription` and `batch-call`, each with what arrived. */
  readonly arrivals = new EventEmitter();
  readonly appends: FakeAppend[] = [];
  readonly subscriptions = new Set<FakeSubscription>();
  readonly batchCalls: BatchCall[] = [];
  /** Metadata of every call, in order. */
  readonly metadata: Metadata[] = [];
  readCount = 0;
  openReadCount = 0;
  subscriptionCount = 0;
  unaryAppendCount = 0;
  onAppend: (append: FakeAppend) => void = (append) => {
    append.accept();
  };
  /** Answers true if it has dealt with the read. */
  onRead: (call: ReadCall) => boolean = () => false;
  onSubscription: (subscription: FakeSubscription) => void = (subscription) => {
    subscription.start();
  };
  /** Whether the store says which methods it has; the client asks before its first append. */
  answersFeatures = true;
  private server = new Server();
  private target = '';
  private readonly credentials: ServerCredentials;

  private constructor(credentials: ServerCredentials) {
    this.credentials = credentials;
    this.arrivals.setMaxListeners(0);
  }

  static async start(
    target = '127.0.0.1:0',
    credentials = ServerCredentials.createInsecure(),
  ): Promise<FakeStore> {
    const store = new FakeStore(credentials);
    store.target = target;
    await store.serve();
    return store;
  }

  get port(): number {
    return Number(this.target.split(':').at(-1));
  }

  get connectionString(): string {
    return `esdb://${this.target}?tls=false`;
  }

  /** Comes back at the same place, with the same log, after `vanish`. */
  async serve(): Promise<void> {
    this.server = new Server();
    this.server.addService(features.ServerFeaturesService, this.features());
    this.server.addService(streams.StreamsService, this.streams());
    const port = await new Promise<number>((resolve, reject) => {
      this.server.bindAsync(this.target, this.credentials, (error, bound) => {
        if (error) reject(error);
        else resolve(bound);
      });
    });
    if (!this.target.startsWith('unix:')) this.target = `127.0.0.1:${port}`;
  }

  /** As `kill -9` does: all connections break, nothing is answered any more. */
  vanish(): void {
    this.server.forceShutdown();
    this.subscriptions.clear();
  }

  /** Appends as another writer does. */
  write(stream: string, ...events: readonly NewFakeEvent[]): void {
    const outcome = this.log.append(stream, 'any', events);
    if ('written' in outcome) this.spread(outcome.written);
  }

  async arrival(kind: 'append' | 'read' | 'subscription' | 'batch-call'): Promise<unknown> {
    const [arrived] = (await once(this.arrivals, kind)) as [unknown];
    return arrived;
  }

  private spread(events: readonly FakeEvent[]): void {
    for (const subscription of this.subscriptions) for (const event of events) subscription.send(event);
  }

  private features(): UntypedServiceImplementation {
    const handle = (_: unknown, callback: (error: null, message: unknown) => void): void => {
      if (!this.answersFeatures) return;
      const method = new featureMessages.SupportedMethod();
      method.setServiceName('event_store.client.streams.streams');
      method.setMethodName('batchappend');
      const message = new featureMessages.SupportedMethods();
      message.setEventStoreServerVersion('24.10.0');
      message.setMethodsList([method]);
      callback(null, message);
    };
    return { getSupportedMethods: handle as UntypedHandleCall };
  }

  private streams(): UntypedServiceImplementation {
    const read = (call: ReadCall): void => {
      this.onReadCall(call);
    };
    const batchAppend = (call: BatchCall): void => {
      this.onBatchCall(call);
    };
    const append = (): void => {
      this.unaryAppendCount += 1;
    };
    return {
      read: read as UntypedHandleCall,
      batchAppend: batchAppend as UntypedHandleCall,
      append: append as UntypedHandleCall,
    };
  }

  private onBatchCall(call: BatchCall): void {
    this.metadata.push(call.metadata);
    this.batchCalls.push(call);
    call.on('error', () => undefined);
    call.on('end', () => {
      call.end();
    });
    call.on('data', (request: BatchAppendReq) => {
      const append = new FakeAppend(call, request, this.log, (events) => {
        this.spread(events);
      });
      this.appends.push(append);
      this.onAppend(append);
      this.arrivals.emit('append', append);
    });
    this.arrivals.emit('batch-call', call);
  }

  private onReadCall(call: ReadCall): void {
    this.metadata.push(call.metadata);
    this.readCount += 1;
    this.openReadCount += 1;
    call.once('close', () => (this.openReadCount -= 1));
    call.on('error', () => undefined);
    if (call.request.getOptions()?.hasSubscription()) this.onSubscriptionCall(call);
    else if (!this.onRead(call)) this.answerRead(call);
    this.arrivals.emit('read', call);
  }

  private onSubscriptionCall(call: ReadCall): void {
    const subscription = new FakeSubscription(call, this.log);
    this.subscriptions.add(subscription);
    this.subscriptionCount += 1;
    call.once('close', () => this.subscriptions.delete(subscription));
    call.once('cancelled', () => this.subscriptions.delete(subscription));
    this.onSubscription(subscription);
    this.arrivals.emit('subscription', subscription);
  }

  private answerRead(call: ReadCall): void {
    const options = call.request.getOptions();
    const name = options?.getStream()?.getStreamIdentifier()?.getStreamName_asU8();
    const stream = name === undefined ? undefined : Buffer.from(name).toString();
    const events = stream === undefined ? this.log.all : this.log.stream(stream);
    if (stream !== undefined && events.length === 0) call.write(streamNotFoundResponse(stream));
    const isForwards = Number(options?.getReadDirection()) === 0;
    const from = options?.getStream()?.hasRevision() ? Number(options.getStream()?.getRevision()) : undefined;
    const ordered = isForwards ? events : events.toReversed();
    const begun = ordered.filter(
      ({ revision }) => from === undefined || (isForwards ? revision >= from : revision <= from),
    );
    for (const event of begun.slice(0, Number(options?.getCount()))) call.write(eventResponse(event));
    call.end();
  }
}
