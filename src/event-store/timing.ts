/** Time and luck as arguments, so that tests can hold both. */
export interface Timing {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Runs `action` after `ms`; the answer takes it back. */
  readonly after: (ms: number, action: () => void) => () => void;
  /** From 0 up to, but not including, 1. */
  readonly luck: () => number;
}

/** Node.js turns what is longer into 1 ms. This is 24 days, which nobody waits for an answer. */
const timerMaxMs = 2 ** 31 - 1;

export const systemTiming: Timing = {
  now: () => performance.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, Math.min(ms, timerMaxMs));
    return () => {
      clearTimeout(timer);
    };
  },
  luck: () => Math.random(),
};
