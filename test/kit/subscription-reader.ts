import type { RecordedEvent, SubscriptionBatch } from '../../src/event-store/event-store.js';

/** Reads a subscription step by step, as a consumer does. */
export class SubscriptionReader {
  readonly batches: SubscriptionBatch[] = [];
  readonly events: RecordedEvent[] = [];
  private readonly iterator: AsyncIterator<SubscriptionBatch>;

  constructor(subscription: AsyncIterable<SubscriptionBatch>) {
    this.iterator = subscription[Symbol.asyncIterator]();
  }

  get revisions(): readonly number[] {
    return this.events.map(({ revision }) => revision);
  }

  /** Takes batches until one satisfies the claim, and answers it. */
  async until(claim: (batch: SubscriptionBatch) => boolean): Promise<SubscriptionBatch> {
    for (;;) {
      const batch = await this.next();
      if (batch === undefined) throw new Error('the subscription ended');
      if (claim(batch)) return batch;
    }
  }

  async untilCaughtUp(): Promise<SubscriptionBatch> {
    return this.until(({ isCaughtUp }) => isCaughtUp);
  }

  async untilCount(count: number): Promise<void> {
    while (this.events.length < count) await this.until(() => true);
  }

  /** Nothing at the end of the subscription. */
  async next(): Promise<SubscriptionBatch | undefined> {
    const result = await this.iterator.next();
    if (result.done) return undefined;
    this.batches.push(result.value);
    this.events.push(...result.value.events);
    return result.value;
  }

  async leave(): Promise<void> {
    await this.iterator.return?.();
  }
}
