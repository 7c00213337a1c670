import { describe, expect, test } from '@jest/globals';
import { backoffMs } from '../../../src/event-store/backoff.js';

const backoff = { firstMs: 50, maxMs: 5_000 };

/** Luck from a seed, so that a failure can be had again. */
const luckFrom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
};

describe('backoff', () => {
  test('its bound doubles with each failure up to the cap, and stays there for ever', () => {
    const bounds = [1, 2, 3, 7, 8, 100, 1e9].map((failureCount) =>
      backoffMs(backoff, failureCount, 0.999_999),
    );
    expect(bounds).toEqual([49, 99, 199, 3_199, 4_999, 4_999, 4_999]);
  });

  test('its jitter is full: anywhere from nothing to the bound', () => {
    const luck = luckFrom(7);
    const delays = Array.from({ length: 2_000 }, () => backoffMs(backoff, 20, luck()));
    const quarters = [0, 0, 0, 0];
    for (const delay of delays) {
      const quarter = Math.floor(delay / 1_250);
      quarters[quarter] = (quarters[quarter] ?? 0) + 1;
    }
    expect(quarters.every((count) => count > 400)).toBe(true);
    expect(quarters).toHaveLength(4);
  });
});
