import type { NodeId } from '../ids.js';
import type { LiveJob } from '../job/job.js';
import type { TrackerState } from './state.js';

/** Moves a waiting job into the queue of a node, or out of it. */
export const bind = (state: TrackerState, job: LiveJob, nodeId: NodeId | undefined): void => {
  state.waiting.remove(job);
  job.boundTo = nodeId;
  state.waiting.add(job);
};

/** What waits for the node waits for any node again. */
export const unbindQueueOf = (state: TrackerState, nodeId: NodeId): void => {
  for (const job of state.waiting.inQueueOf(nodeId)) bind(state, job, undefined);
};

/** Capacity grew, so all that is bound is bound anew. */
export const unbindAll = (state: TrackerState): void => {
  for (const nodeId of state.nodes.keys()) unbindQueueOf(state, nodeId);
};
