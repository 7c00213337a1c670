import type { Readiness, SubscriptionLag } from './event-store.js';

export interface ReadinessLimits {
  /** How old the last append or read that succeeded may be, in milliseconds. */
  readonly successMaxAgeMs: number;
  /** How long a subscription may have been behind, in milliseconds. */
  readonly lagMaxMs: number;
}

/** Whoever knows how far a subscription is behind. */
export interface LagSource {
  lag(now: number): SubscriptionLag;
}

/** Judges by what the store did lately: a socket can be open to a store that does nothing any more. */
export class ReadinessRecord {
  private readonly limits: ReadinessLimits;
  private readonly now: () => number;
  private readonly subscriptions = new Set<LagSource>();
  private lastSuccessAt: number | undefined;

  /** @param now monotonic milliseconds */
  constructor(limits: ReadinessLimits, now: () => number) {
    this.limits = limits;
    this.now = now;
  }

  noteSuccess(): void {
    this.lastSuccessAt = this.now();
  }

  add(subscription: LagSource): void {
    this.subscriptions.add(subscription);
  }

  remove(subscription: LagSource): void {
    this.subscriptions.delete(subscription);
  }

  judge(): Readiness {
    const now = this.now();
    const subscriptions = [...this.subscriptions].map((subscription) => subscription.lag(now));
    if (this.lastSuccessAt === undefined) return { isReady: false, subscriptions };
    const lastSuccessAgoMs = now - this.lastSuccessAt;
    const isRecent = lastSuccessAgoMs <= this.limits.successMaxAgeMs;
    const isAbreast = subscriptions.every(({ behindMs }) => behindMs <= this.limits.lagMaxMs);
    return { isReady: isRecent && isAbreast, lastSuccessAgoMs, subscriptions };
  }
}
