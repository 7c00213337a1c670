import { convertToCommandError, type EventStoreDBClient, streamNameFilter } from '@eventstore/db-client';
import type { Duplex, Readable } from 'node:stream';
import { BatchAppendGuard } from './batch-append-guard.js';
import { isStreamNotFound, toStoreError } from './client-errors.js';
import { toClientEvent, toRevision } from './client-events.js';
import { ClientFeed, type ClientSubscription } from './client-feed.js';
import { internalsOf, type StreamCreator } from './client-internals.js';
import type { ClientLifeline } from './client-lifeline.js';
import { collectPage, type ClientRead } from './client-page.js';
import { AccessDenied, AppendRefused, type EventStoreError } from './errors.js';
import type { ExpectedRevision, RecordedEvent } from './event-store.js';
import type { Log } from './log.js';
import {
  NoAnswer,
  type Acknowledgement,
  type Feed,
  type FeedRequest,
  type PageRequest,
  type PreparedAppend,
  type Session,
} from './session.js';
import { Turns } from './turns.js';

export interface ClientSessionOptions {
  /** How many events a subscription holds before it holds back the store. */
  readonly feedBufferMax: number;
  readonly log: Log;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/**
 * How long the store may work on an append, in milliseconds. Far longer than anybody waits: it is sent as a time of day, and a
 * short one would refuse the appends of a machine whose clock is a few seconds behind the store's.
 */
const appendDeadlineMs = 60_000;

/** After how many windows of 32 events the store sends a checkpoint: often enough for the watchdog to look behind it. */
const checkpointInterval = 4;

/** A session on the official client. */
export class ClientSession implements Session {
  private readonly client: EventStoreDBClient;
  private readonly lifeline: ClientLifeline;
  private readonly options: ClientSessionOptions;
  private readonly turns = new Turns();
  private onWritten: (() => void) | undefined;
  /** Appends that may have been sent and have no outcome. */
  private inFlightCount = 0;
  private ending: EventStoreError | NoAnswer | undefined;

  constructor(client: EventStoreDBClient, lifeline: ClientLifeline, options: ClientSessionOptions) {
    this.client = client;
    this.lifeline = lifeline;
    this.options = options;
    this.guardBatchAppends();
  }

  get openCallCount(): number {
    return this.lifeline.openCallCount;
  }

  async append(append: PreparedAppend, onSent: () => void, signal: AbortSignal): Promise<Acknowledgement> {
    const events = append.events.map(toClientEvent);
    // Without turns, the append that opens the client's stream is overtaken by the one after it.
    return this.turns.take(async (passOn) => {
      if (this.ending) {
        throw new NoAnswer('the session takes no more appends', { cause: this.ending, endsSession: true });
      }
      // Its caller has heard that nothing was sent, and may have decided otherwise since.
      signal.throwIfAborted();
      // The client waits inside before it writes. Nothing can be taken back there, so it counts as sent from here on.
      onSent();
      this.inFlightCount += 1;
      this.onWritten = passOn;
      try {
        // Credentials are the client's defaults. Given per call, they would switch to the unary append.
        const { nextExpectedRevision, position } = await this.client.appendToStream(append.stream, events, {
          expectedRevision: toClientRevision(append.expected),
          deadline: appendDeadlineMs,
        });
        return { revision: toRevision(nextExpectedRevision), position: position?.commit ?? 0n };
      } catch (error) {
        throw this.endingNow() ?? toStoreError(error, append);
      } finally {
        this.inFlightCount -= 1;
      }
    });
  }

  async readPage(request: PageRequest, signal: AbortSignal): Promise<readonly RecordedEvent[]> {
    const { stream, direction, from, maxCount, requiresLeader } = request;
    const fromRevision = typeof from === 'number' ? BigInt(from) : from;
    const read = this.client.readStream(stream, { direction, fromRevision, maxCount, requiresLeader });
    try {
      return await collectPage(read as ClientRead, signal);
    } catch (error) {
      if (isStreamNotFound(error)) return [];
      throw toStoreError(error, { stream });
    }
  }

  async readNewest(maxCount: number, signal: AbortSignal): Promise<readonly RecordedEvent[]> {
    const read = this.client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount });
    try {
      return await collectPage(read as ClientRead, signal);
    } catch (error) {
      throw toStoreError(error, { stream: '$all' });
    }
  }

  subscribe(request: FeedRequest): Feed {
    return request.kind === 'stream' ? this.followStream(request) : this.followPrefixes(request);
  }

  async dispose(): Promise<void> {
    this.ending ??= new NoAnswer('the session is disposed', { endsSession: true });
    await this.lifeline.end();
  }

  private followStream({ stream, after }: FeedRequest & { kind: 'stream' }): Feed {
    const fromRevision = after === undefined ? 'start' : BigInt(after);
    const subscription = this.client.subscribeToStream(stream, { fromRevision }, this.feedOptions());
    return new ClientFeed(subscription as ClientSubscription, stream, this.options.now);
  }

  private followPrefixes({ prefixes, after }: FeedRequest & { kind: 'prefixes' }): Feed {
    const filter = streamNameFilter({
      prefixes: [...prefixes],
      checkpointInterval,
      checkpointReached: (subscription, { commit }) => {
        ClientFeed.markCheckpoint(subscription as unknown as Readable, commit);
      },
    });
    const fromPosition = after === undefined ? 'start' : { commit: after, prepare: after };
    const subscription = this.client.subscribeToAll({ fromPosition, filter }, this.feedOptions());
    return new ClientFeed(subscription as ClientSubscription, prefixes.join(', '), this.options.now);
  }

  private feedOptions(): { highWaterMark: number } {
    return { highWaterMark: this.options.feedBufferMax };
  }

  private endingNow(): Error | undefined {
    return this.ending;
  }

  private guardBatchAppends(): void {
    const internals = internalsOf(this.client);
    const create = internals.GRPCStreamCreator;
    internals.GRPCStreamCreator = (kind, debugName, creator, cache) =>
      create(kind, debugName, debugName === 'appendToStream' ? this.guarded(creator) : creator, cache);
  }

  private guarded(creator: StreamCreator): StreamCreator {
    return (grpcClient) => {
      const stream = creator(grpcClient) as Duplex;
      new BatchAppendGuard(stream, {
        onWritten: () => this.onWritten?.(),
        onEnd: (error) => {
          this.ending ??= toEnding(error, this.inFlightCount);
        },
        onLateAnswer: () => {
          this.options.log({ level: 'warn', message: 'an answer to an append came that nobody waits for' });
        },
      });
      return stream;
    };
  }
}

const toClientRevision = (expected: ExpectedRevision): bigint | 'no_stream' | 'any' => {
  if (typeof expected === 'number') return BigInt(expected);
  return expected === 'any' ? 'any' : 'no_stream';
};

/**
 * What the end of the append stream means to the appends on it. Who has no access wrote nothing on it; any other refusal is of
 * one append, and of which is known only where there is one.
 */
const toEnding = (error: Error, inFlightCount: number): EventStoreError | NoAnswer => {
  const failure = toStoreError(convertToCommandError(error), { stream: 'appends', expected: 'any' });
  if (failure instanceof AccessDenied) return failure;
  if (failure instanceof AppendRefused && inFlightCount === 1) return failure;
  const leader = failure instanceof NoAnswer ? failure.leader : undefined;
  return new NoAnswer(failure.message, { cause: error, endsSession: true, ...(leader ? { leader } : {}) });
};
