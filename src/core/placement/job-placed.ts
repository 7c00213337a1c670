import type { FencingToken } from '../ids.js';
import type { Instant } from '../instant.js';
import type { LiveJob } from '../job/job.js';
import type { JobPlaced } from '../tracker/event.js';
import type { TrackerState } from '../tracker/state.js';
import type { FiledNode } from './node-pool.js';
import type { PlacementReason } from './placement-reason.js';

/** The event by which a waiting job gets the node. */
export const jobPlaced = (
  state: TrackerState,
  job: LiveJob,
  { id, held, capacity }: Pick<FiledNode, 'id' | 'held' | 'capacity'>,
  { rule, candidateCount }: Pick<PlacementReason, 'rule' | 'candidateCount'>,
  now: Instant,
): JobPlaced => {
  const { estimatedRunMs, situation } = job;
  const reason = { rule, load: held, capacity, candidateCount };
  const event: JobPlaced = {
    type: 'JobPlaced',
    jobId: job.id,
    nodeId: id,
    attempt: job.attemptNumber + 1,
    fencingToken: (state.lastFencingToken + 1) as FencingToken,
    reason: estimatedRunMs === undefined ? reason : { ...reason, estimatedRunMs },
    at: now,
  };
  return situation.status === 'pending' && situation.inDoubt ? { ...event, ended: 'node-lost' } : event;
};
