import type { Instant } from '../instant.js';
import type { LiveJob } from '../job/job.js';
import { meets } from '../job/requirement.js';
import type { Node } from '../node/node.js';
import type { TrackerState } from '../tracker/state.js';
import { mostFree, type IsTaken } from './node-search.js';
import type { FiledNode, NodePool } from './node-pool.js';

/** When the node stops counting, or stopped. A node counts until an operator takes it away, or it was away for long (P24). */
export const countsUntil = (node: Node, awayNodeCountsMs: number): Instant => {
  const drained = node.cordon === 'draining' ? node.cordonSince : Infinity;
  const forgotten = node.status === 'ready' ? Infinity : node.statusSince + awayNodeCountsMs;
  return Math.min(drained, forgotten);
};

/**
 * The largest capacity of a node that counts: present, or away for a moment. -1 if none does. A job larger than that is
 * oversized.
 */
export const countedCapacity = (state: TrackerState, pool: NodePool, now: Instant): number => {
  const { awayNodeCountsMs } = state.settings;
  let largest = pool.classes[0]?.capacity ?? -1;
  for (const filed of pool.absent) {
    if (filed.absentSince + awayNodeCountsMs <= now) break;
    if (filed.capacity > largest && countsUntil(filed.node, awayNodeCountsMs) > now) largest = filed.capacity;
  }
  return largest;
};

/**
 * Since when an oversized job has been so without a break: since it was submitted, or the last node that could have taken it
 * stopped counting. What is so long ago that it delays nothing any more is not looked at.
 */
const oversizedSince = (state: TrackerState, job: LiveJob, pool: NodePool, now: Instant): Instant => {
  const { awayNodeCountsMs, oversizedAfterMs } = state.settings;
  const { requirement, size } = job;
  let since = job.submittedAt;
  for (const filed of pool.absent) {
    if (filed.absentSince + awayNodeCountsMs + oversizedAfterMs <= now) break;
    if (filed.capacity >= size) since = Math.max(since, countsUntil(filed.node, awayNodeCountsMs));
  }
  for (const { offer } of state.placeable.formerOffers) {
    if (offer.until + oversizedAfterMs <= now) break;
    if (offer.capacity >= size && meets(offer, requirement)) since = Math.max(since, offer.until);
  }
  return since;
};

/** Where an oversized job is to run alone: of the roomiest nodes the one with the most free room, if one gets jobs at all. */
export const roomiest = (pool: NodePool, counted: number, isTaken: IsTaken): FiledNode | undefined =>
  mostFree(pool, counted, isTaken);

/** When an oversized job may start at the earliest, its node being empty. */
export const oversizedStartsAt = (
  state: TrackerState,
  job: LiveJob,
  pool: NodePool,
  now: Instant,
): Instant => {
  const { settings, term } = state;
  const since = oversizedSince(state, job, pool, now);
  return Math.max(since + settings.oversizedAfterMs, term.startedAt + settings.graceMs);
};
