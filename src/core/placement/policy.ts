import type { Instant } from '../instant.js';
import type { JobBound, JobPlaced, ReservationFixed } from '../tracker/event.js';
import type { TrackerState } from '../tracker/state.js';

/**
 * The seam behind which placement is decided: the next thing to do on this state at this instant, or nothing. The same state
 * and instant give the same answer; the caller folds it and asks again.
 */
export type Policy = (
  state: TrackerState,
  now: Instant,
) => JobPlaced | JobBound | ReservationFixed | undefined;
