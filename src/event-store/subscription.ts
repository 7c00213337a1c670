import { backoffMs, type Backoff } from './backoff.js';
import type { Connection, Generation } from './connection.js';
import type { Position, RecordedEvent, SubscriptionBatch, SubscriptionLag } from './event-store.js';
import type { Log } from './log.js';
import type { LagSource } from './readiness.js';
import { abortable, pause, Scope } from './scope.js';
import { NoAnswer, type Feed, type FeedItem } from './session.js';
import type { SubscriptionSource } from './subscription-source.js';
import type { Timing } from './timing.js';

export interface SubscriptionOptions {
  readonly name: string;
  /** How long nothing may come before the newest event is looked at, in milliseconds. */
  readonly silenceMs: number;
  readonly batchCountMax: number;
  readonly backoff: Backoff;
  readonly timing: Timing;
  readonly log: Log;
}

class Silence extends Error {}

/**
 * Follows one source for ever. A feed that is dropped, or is silent while there is something to tell, is cancelled and another
 * one begins after the last event handed over; what the old one had buffered beyond that is dropped with it.
 */
export class Subscription implements LagSource {
  private readonly source: SubscriptionSource;
  private readonly connection: Connection;
  private readonly options: SubscriptionOptions;
  private readonly signal: AbortSignal;
  private feed: Feed | undefined;
  /** Whether the store says that everything it had has been sent. */
  private isLive = false;
  private toldCaughtUp = false;
  private toldCheckpoint: Position | undefined;
  private behindSince: number;
  private failureCount = 0;

  /** @param signal ends the subscription, without an error */
  constructor(
    source: SubscriptionSource,
    connection: Connection,
    options: SubscriptionOptions,
    signal: AbortSignal,
  ) {
    this.source = source;
    this.connection = connection;
    this.options = options;
    this.signal = signal;
    this.behindSince = options.timing.now();
    this.toldCheckpoint = source.checkpoint;
  }

  lag(now: number): SubscriptionLag {
    const { name } = this.options;
    const since = this.isLive ? this.feed?.untakenSince : this.behindSince;
    return since === undefined
      ? { name, isCaughtUp: true, behindMs: 0 }
      : { name, isCaughtUp: false, behindMs: now - since };
  }

  async *batches(): AsyncGenerator<SubscriptionBatch, void, void> {
    while (!this.signal.aborted) {
      try {
        yield* this.followOneFeed();
      } catch (error) {
        // Aborting ends the iteration, and what it breaks on the way is no news.
        if (this.isAborted()) return;
        if (!(error instanceof NoAnswer)) throw error;
        await this.recover(error);
      }
    }
  }

  private async *followOneFeed(): AsyncGenerator<SubscriptionBatch, void, void> {
    const generation = await this.connection.acquire(this.signal);
    const feed = generation.session.subscribe(this.source.request());
    this.feed = feed;
    try {
      while (!this.signal.aborted) {
        const batch = this.take(feed);
        if (batch) yield batch;
        else if (!feed.hasArrivals) await this.awaitArrival(generation, feed);
      }
    } catch (error) {
      if (error instanceof NoAnswer && error.endsSession) this.connection.retire(generation, error);
      throw error;
    } finally {
      feed.cancel();
      this.feed = undefined;
      this.fallBehind();
      // The next feed tells again when it has caught up.
      this.toldCaughtUp = false;
    }
  }

  /** Everything that has arrived, as one batch; nothing if there is nothing to tell. */
  private take(feed: Feed): SubscriptionBatch | undefined {
    const events = feed.take(this.options.batchCountMax).flatMap((item) => this.fold(item));
    const isCaughtUp = this.isLive && !feed.hasArrivals;
    const { checkpoint } = this.source;
    if (events.length > 0) this.failureCount = 0;
    const isNews =
      events.length > 0 || isCaughtUp !== this.toldCaughtUp || checkpoint !== this.toldCheckpoint;
    if (!isNews) return undefined;
    this.toldCaughtUp = isCaughtUp;
    this.toldCheckpoint = checkpoint;
    return checkpoint === undefined ? { events, isCaughtUp } : { events, isCaughtUp, checkpoint };
  }

  private fold(item: FeedItem): readonly RecordedEvent[] {
    switch (item.kind) {
      case 'event':
        return this.source.advance(item.event) ? [item.event] : [];
      case 'checkpoint':
        this.source.advanceTo(item.position);
        return [];
      case 'caught-up':
        this.isLive = true;
        return [];
      case 'fell-behind':
        this.fallBehind();
        return [];
    }
  }

  private async awaitArrival(generation: Generation, feed: Feed): Promise<void> {
    const { silenceMs, timing } = this.options;
    const scope = new Scope(timing, {
      parents: [this.signal, generation.retired],
      limit: { ms: silenceMs, reason: () => new Silence() },
    });
    try {
      await abortable(feed.arrival(), scope.signal);
    } catch (error) {
      if (!(error instanceof Silence)) throw error;
      await this.probe(generation, feed);
    } finally {
      scope.end();
    }
  }

  /** Silence is right where there is nothing to tell. Where there is, or the store cannot say, the feed is dead. */
  private async probe(generation: Generation, feed: Feed): Promise<void> {
    const { isBehind, checkpoint } = await this.connection.callOn(
      generation,
      this.signal,
      (session, signal) => this.source.probe(session, signal),
    );
    if (feed.hasArrivals) return;
    if (isBehind) throw new NoAnswer('the subscription was silent', { endsSession: false });
    // Stores before 23.10 never say that a subscription has caught up.
    this.isLive = true;
    this.failureCount = 0;
    if (checkpoint !== undefined) this.source.advanceTo(checkpoint);
  }

  private async recover(failure: NoAnswer): Promise<void> {
    const { backoff, log, name, timing } = this.options;
    this.failureCount += 1;
    log({ level: 'warn', message: `resuming the subscription ${name}`, cause: failure });
    const ms = backoffMs(backoff, this.failureCount, timing.luck());
    await pause(timing, ms, this.signal).catch(() => undefined);
  }

  private fallBehind(): void {
    if (this.isLive) this.behindSince = this.options.timing.now();
    this.isLive = false;
  }

  private isAborted(): boolean {
    return this.signal.aborted;
  }
}
