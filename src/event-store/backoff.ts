/** How long to wait between tries. */
export interface Backoff {
  /** Bound of the first delay, in milliseconds. It doubles with each failure. */
  readonly firstMs: number;
  /** Bound of every delay, in milliseconds. */
  readonly maxMs: number;
}

/**
 * Full jitter: anywhere between 0 and the bound, so that servers that lost the store together do not come back together.
 *
 * @param failureCount failures in a row, from 1
 * @param luck a number from 0 up to, but not including, 1
 */
export const backoffMs = (backoff: Backoff, failureCount: number, luck: number): number => {
  // Beyond 2^30 doubling would leave the safe integers long after it has passed any sensible bound.
  const doublings = Math.min(Math.max(failureCount - 1, 0), 30);
  return Math.floor(luck * Math.min(backoff.maxMs, backoff.firstMs * 2 ** doublings));
};
