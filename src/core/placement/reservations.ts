import type { JobId, NodeId } from '../ids.js';
import type { Instant } from '../instant.js';
import type { TrackerState } from '../tracker/state.js';
import { PlacementWalk } from './placement-walk.js';

/**
 * For which job a node is kept now. While decisions are still to be made it says what is kept by the jobs ahead of the next one.
 * With policy `early-binding` it is the job that the node's own queue waits for.
 */
export const reservationsOf = (state: TrackerState, now: Instant): ReadonlyMap<NodeId, JobId> => {
  switch (state.settings.policy) {
    case 'late-binding': {
      const walk = new PlacementWalk(state, now);
      walk.next();
      return walk.reservations;
    }
    case 'early-binding': {
      const reservations = new Map<NodeId, JobId>();
      for (const nodeId of state.waiting.boundTo) {
        const first = state.waiting.firstInQueueOf(nodeId);
        if (first) reservations.set(nodeId, first.id);
      }
      return reservations;
    }
  }
};
