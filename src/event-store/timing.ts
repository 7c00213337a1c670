/** Time and luck as arguments, so that tests can hold both. */
export interface Timing {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Runs `action` after `ms`; the answer takes it back. */
  readonly after: (ms: number, action: () => void) => () => void;
  /** From 0 up to, but not including, 1. */
  readonly luck: () => number;
}

export const systemTiming: Timing = {
  now: () => performance.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => {
      clearTimeout(timer);
    };
  },
  luck: () => Math.random(),
};
