import type { Readable } from 'node:stream';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { toRecordedEvent, type ClientResolved } from './client-events.js';
import { toStoreError } from './client-errors.js';
import type { Position } from './event-store.js';
import { NoAnswer, type Feed, type FeedItem } from './session.js';

/** The client's subscription, as far as it is used here. */
export type ClientSubscription = Readable & { unsubscribe(): Promise<void> };

class Mark {
  constructor(readonly item: FeedItem) {}
}

/**
 * One subscription of the official client, read by pulling: the client's own buffer is the only one, and while nobody takes, it
 * stays full and holds back the store.
 *
 * The client tells checkpoints and having caught up by events that overtake what is in its buffer. A checkpoint that is ahead of
 * the events before it would lose them on resuming, so both are put into the buffer, in their place.
 */
export class ClientFeed implements Feed {
  private readonly subscription: ClientSubscription;
  private readonly now: () => number;
  private failure: Error | undefined;
  private firstUntakenAt: number | undefined;
  private wake: (() => void) | undefined;
  private fail: ((error: Error) => void) | undefined;

  /** @param now monotonic milliseconds */
  constructor(subscription: ClientSubscription, subject: string, now: () => number) {
    this.subscription = subscription;
    this.now = now;
    subscription.on('caughtUp', () => subscription.push(new Mark({ kind: 'caught-up' })));
    subscription.on('fellBehind', () => subscription.push(new Mark({ kind: 'fell-behind' })));
    for (const sign of ['readable', 'confirmation'])
      subscription.on(sign, () => {
        this.onSign();
      });
    // This listener stays for good: an error that comes after cancelling would otherwise end the process.
    subscription.on('error', (error) => {
      this.onFailure(toStoreError(error, { stream: subject }));
    });
    subscription.on('end', () => {
      this.onFailure(new NoAnswer('the store ended the subscription', { endsSession: false }));
    });
  }

  /** To be called from the client's checkpoint callback. */
  static markCheckpoint(subscription: Readable, position: Position): void {
    subscription.push(new Mark({ kind: 'checkpoint', position }));
  }

  get hasArrivals(): boolean {
    return this.subscription.readableLength > 0;
  }

  get untakenSince(): number | undefined {
    return this.firstUntakenAt;
  }

  take(maxCount: number): readonly FeedItem[] {
    const items: FeedItem[] = [];
    while (items.length < maxCount) {
      const chunk = this.subscription.read() as Mark | ClientResolved | null;
      if (chunk === null) break;
      items.push(chunk instanceof Mark ? chunk.item : { kind: 'event', event: toRecordedEvent(chunk) });
    }
    this.firstUntakenAt = this.hasArrivals ? this.now() : undefined;
    return items;
  }

  async arrival(): Promise<void> {
    if (this.hasArrivals) return;
    if (this.failure) throw this.failure;
    await new Promise<void>((resolve, reject) => {
      this.wake = resolve;
      this.fail = reject;
    });
    // What comes in the same turn of the loop is handed over as one batch, not event by event.
    await turnOfTheLoop();
  }

  cancel(): void {
    const subscription = this.subscription;
    const destroy = (): void => {
      subscription.destroy();
    };
    // Destroying alone would leave the call open at the store.
    subscription.unsubscribe().then(destroy, destroy);
  }

  private onSign(): void {
    if (this.hasArrivals) this.firstUntakenAt ??= this.now();
    this.wake?.();
  }

  private onFailure(failure: Error): void {
    this.failure ??= failure;
    this.fail?.(failure);
  }
}
