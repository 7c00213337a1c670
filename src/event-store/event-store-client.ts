import { randomUUID } from 'node:crypto';
import { AppendSettlement } from './append-settlement.js';
import {
  checkPrefixesSubscription,
  checkStreamLimits,
  checkStreamName,
  checkStreamSubscription,
} from './arguments.js';
import { createClient, ignoresCredentials, openClientSession, type StoreAddress } from './client-opening.js';
import {
  addressOf,
  settingsOf,
  type EventStoreClientOptions,
  type OpenSession,
  type Settings,
} from './client-options.js';
import { Connection } from './connection.js';
import { AppendConflict } from './errors.js';
import type {
  AppendReceipt,
  EventStore,
  ExpectedRevision,
  NewEvent,
  Position,
  Readiness,
  ReadOptions,
  RecordedEvent,
  Revision,
  StreamLimits,
  SubscribeOptions,
  SubscriptionBatch,
  WaitOptions,
} from './event-store.js';
import { prepareAppend } from './prepared-append.js';
import { readPages } from './read-pages.js';
import { ReadinessRecord } from './readiness.js';
import { scopeOfCall, type Scope } from './scope.js';
import { StoreCalls } from './store-calls.js';
import { limitsIn, metadataEventType, metadataStreamOf, withLimits } from './stream-metadata.js';
import { PrefixesSource, StreamSource, type SubscriptionSource } from './subscription-source.js';
import { followSource } from './subscription-iteration.js';

/** The port's adapter on the official client. It connects at the first call and reconnects for ever, until it is closed. */
export class EventStoreClient implements EventStore {
  private readonly settings: Settings;
  private readonly connection: Connection;
  private readonly calls: StoreCalls;
  private readonly readinessRecord: ReadinessRecord;

  private constructor(settings: Settings, open: OpenSession) {
    const { successMaxAgeMs, lagMaxMs, timing } = settings;
    this.settings = settings;
    this.readinessRecord = new ReadinessRecord({ successMaxAgeMs, lagMaxMs }, timing.now);
    this.connection = new Connection({
      ...settings,
      open,
      onSuccess: () => {
        this.readinessRecord.noteSuccess();
      },
    });
    this.calls = new StoreCalls(this.connection, settings);
  }

  /** @throws StoreAddressInvalid if the address cannot be used; the store itself need not be there yet */
  static connect(address: string | StoreAddress, options: EventStoreClientOptions = {}): EventStoreClient {
    const settings = settingsOf(options);
    if (options.openSession) return new EventStoreClient(settings, options.openSession);
    const place = addressOf(address);
    createClient(place);
    if (ignoresCredentials(place)) {
      settings.log({
        level: 'warn',
        message: 'without TLS the credentials of the connection string are ignored',
      });
    }
    const sessionOptions = {
      ...settings,
      feedBufferMax: settings.subscriptionBufferMax,
      now: settings.timing.now,
    };
    return new EventStoreClient(settings, (leader, signal) =>
      openClientSession(place, leader, sessionOptions, signal),
    );
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    options: WaitOptions & { readonly expectedRevision: ExpectedRevision },
  ): Promise<AppendReceipt> {
    const append = prepareAppend(stream, events, options.expectedRevision, this.settings.appendBytesMax);
    return this.within(options, async ({ signal }) =>
      new AppendSettlement(append, this.calls.line(signal)).settle(),
    );
  }

  readStream(stream: string, options: ReadOptions = {}): AsyncIterable<readonly RecordedEvent[]> {
    return readPages(stream, options, (request) =>
      this.within(options, ({ signal }) => this.calls.readPage(request, signal)),
    );
  }

  subscribeToStream(
    stream: string,
    options: SubscribeOptions & { readonly after?: Revision } = {},
  ): AsyncIterable<SubscriptionBatch> {
    checkStreamSubscription(stream, options.after);
    return this.follow(() => new StreamSource(stream, options.after), { name: stream, ...options });
  }

  subscribeToStreams(
    prefixes: readonly string[],
    options: SubscribeOptions & { readonly after?: Position } = {},
  ): AsyncIterable<SubscriptionBatch> {
    checkPrefixesSubscription(prefixes, options.after);
    const name = prefixes.join(', ');
    return this.follow(() => new PrefixesSource(prefixes, options.after), { name, ...options });
  }

  async streamLimits(stream: string, options: WaitOptions = {}): Promise<StreamLimits> {
    checkStreamName(stream);
    const event = await this.within(options, ({ signal }) =>
      this.calls.readLast(metadataStreamOf(stream), signal),
    );
    return limitsIn(event);
  }

  async setStreamLimits(stream: string, limits: StreamLimits, options: WaitOptions = {}): Promise<void> {
    checkStreamLimits(stream, limits);
    await this.within(options, async ({ signal }) => {
      while (!(await this.trySetLimits(metadataStreamOf(stream), limits, signal)));
    });
  }

  readiness(): Readiness {
    return this.readinessRecord.judge();
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  /** False if someone else changed the metadata meanwhile. */
  private async trySetLimits(
    metadataStream: string,
    limits: StreamLimits,
    signal: AbortSignal,
  ): Promise<boolean> {
    const before = await this.calls.readLast(metadataStream, signal);
    const event = { id: randomUUID(), type: metadataEventType, data: withLimits(before, limits) };
    const expected = before?.revision ?? 'no-stream';
    const append = prepareAppend(metadataStream, [event], expected, this.settings.appendBytesMax);
    try {
      await new AppendSettlement(append, this.calls.line(signal)).settle();
      return true;
    } catch (error) {
      if (error instanceof AppendConflict) return false;
      throw error;
    }
  }

  private follow(
    createSource: () => SubscriptionSource,
    options: SubscribeOptions & { readonly name: string },
  ): AsyncIterable<SubscriptionBatch> {
    const context = {
      connection: this.connection,
      readiness: this.readinessRecord,
      settings: this.settings,
    };
    return { [Symbol.asyncIterator]: () => followSource(createSource(), context, options) };
  }

  private async within<T>(options: WaitOptions, action: (scope: Scope) => Promise<T>): Promise<T> {
    const { timing, timeoutMs } = this.settings;
    const scope = scopeOfCall(timing, options, { timeoutMs, parents: [this.connection.closing] });
    try {
      return await action(scope);
    } finally {
      scope.end();
    }
  }
}
