import type { Instant } from '../instant.js';
import type { Attempt } from '../job/attempt.js';
import type { Settings } from './settings.js';

/** However long an attempt runs, its progress is stored at least so often, in milliseconds. */
const intervalMaxMs = 60_000;
const partOfRunTime = 0.01;
const partOfTotal = 0.005;

/** Whether this is long enough after, and different enough from, what was stored last (P28). */
export const isWorthStoring = (
  { startedAt, progress: last }: Attempt,
  told: { readonly done: number; readonly total?: number },
  { progressIntervalMs }: Settings,
  now: Instant,
): boolean => {
  if (!last) return true;
  const runMs = now - (startedAt ?? now);
  const intervalMs = Math.max(progressIntervalMs, Math.min(runMs * partOfRunTime, intervalMaxMs));
  if (now - last.at < intervalMs) return false;
  if (told.total !== last.total) return true;
  const change = Math.abs(told.done - last.done);
  return told.total === undefined ? change > 0 : change >= told.total * partOfTotal && change > 0;
};
