import type { Instant } from '../core/instant.js';
import type { Runtime } from '../runtime/runtime.js';

/** Effective time nears the wall clock by at most so much of the time that passes. */
const slewPart = 0.1;
/** A wall clock that is further ahead is followed at once, and that is recorded. In milliseconds. */
const jumpMinMs = 5_000;

type Clocks = Pick<Runtime, 'now' | 'wallNow'>;

/**
 * The time in which a leader decides (P8). It begins at the wall clock, or at the last instant recorded if that is later; it
 * runs at the rate of the monotonic clock and is slewed to the wall clock; it never goes back and never stands still, however
 * the wall clock is turned.
 */
export class EffectiveTime {
  private effectiveMs: number;
  private monotonicMs: number;

  constructor(
    private readonly clocks: Clocks,
    lastRecordedAt: Instant,
  ) {
    this.effectiveMs = Math.max(clocks.wallNow(), lastRecordedAt);
    this.monotonicMs = clocks.now();
  }

  now(): Instant {
    this.run();
    return Math.floor(this.effectiveMs);
  }

  /**
   * Follows a wall clock that has jumped ahead.
   *
   * @returns by how much, in whole milliseconds; nothing if it has not jumped
   */
  takeJump(): number | undefined {
    this.run();
    const aheadMs = Math.floor(this.clocks.wallNow() - this.effectiveMs);
    if (aheadMs <= jumpMinMs) return undefined;
    this.effectiveMs += aheadMs;
    return aheadMs;
  }

  private run(): void {
    const monotonicMs = this.clocks.now();
    const passedMs = Math.max(0, monotonicMs - this.monotonicMs);
    this.monotonicMs = monotonicMs;
    const aheadMs = this.clocks.wallNow() - (this.effectiveMs + passedMs);
    const slewMaxMs = passedMs * slewPart;
    this.effectiveMs += passedMs + Math.min(slewMaxMs, Math.max(-slewMaxMs, aheadMs));
  }
}
