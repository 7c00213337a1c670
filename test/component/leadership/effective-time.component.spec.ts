import { describe, expect, test } from '@jest/globals';
import { EffectiveTime } from '../../../src/leadership/effective-time.js';

/** Two clocks that a test sets. */
class Clocks {
  monotonicMs = 0;
  wallMs = 1_000_000;
  readonly now = (): number => this.monotonicMs;
  readonly wallNow = (): number => this.wallMs;

  pass(ms: number): void {
    this.monotonicMs += ms;
    this.wallMs += ms;
  }
}

describe('effective time (P8)', () => {
  test('begins at the wall clock', () => {
    expect(new EffectiveTime(new Clocks(), 5).now()).toBe(1_000_000);
  });

  test('begins at the last instant recorded, if that is later', () => {
    expect(new EffectiveTime(new Clocks(), 2_000_000).now()).toBe(2_000_000);
  });

  test('runs at the rate of the monotonic clock', () => {
    const clocks = new Clocks();
    const time = new EffectiveTime(clocks, 0);
    clocks.pass(1_234);
    expect(time.now()).toBe(1_001_234);
  });

  test('never goes back and never stands still when the wall clock is turned back', () => {
    const clocks = new Clocks();
    const time = new EffectiveTime(clocks, 0);
    clocks.wallMs -= 3_600_000;
    clocks.pass(1_000);
    expect(time.now()).toBe(1_000_900);
    clocks.pass(1_000);
    expect(time.now()).toBe(1_001_800);
  });

  test('is slewed by at most a tenth to a wall clock that is a little ahead', () => {
    const clocks = new Clocks();
    const time = new EffectiveTime(clocks, 0);
    clocks.wallMs += 4_000;
    clocks.pass(1_000);
    expect(time.now()).toBe(1_001_100);
    expect(time.takeJump()).toBeUndefined();
    clocks.pass(100_000);
    expect(time.now()).toBe(1_105_000);
  });

  test('follows a wall clock that jumps ahead, and says how far', () => {
    const clocks = new Clocks();
    const time = new EffectiveTime(clocks, 0);
    clocks.wallMs += 60_000;
    expect(time.takeJump()).toBe(60_000);
    expect(time.now()).toBe(1_060_000);
    expect(time.takeJump()).toBeUndefined();
  });

  test('takes whole milliseconds', () => {
    const clocks = new Clocks();
    const time = new EffectiveTime(clocks, 0);
    clocks.pass(0.7);
    expect(Number.isInteger(time.now())).toBe(true);
  });
});
