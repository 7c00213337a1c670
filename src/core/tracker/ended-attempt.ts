import type { Instant } from '../instant.js';
import type { Attempt, AttemptEnd } from '../job/attempt.js';
import type { LiveJob } from '../job/job.js';
import type { AttemptEnded } from './event.js';

/** The event that ends an attempt, and with it what follows for the job. Every end by a node's word is decided here. */
export const endOf = (job: LiveJob, attempt: Attempt, end: AttemptEnd, at: Instant): AttemptEnded => ({
  type: 'AttemptEnded',
  jobId: job.id,
  attempt: attempt.number,
  end,
  then: whatFollows(end, job.cancelRequest !== undefined),
  at,
});

/** Success that crosses a cancel is success; all else that crosses one is the cancel's effect (P16). */
const whatFollows = (end: AttemptEnd, isToBeCancelled: boolean): AttemptEnded['then'] => {
  switch (end.reason) {
    case 'succeeded':
      return 'completed';
    case 'failed':
    case 'timed-out':
      return isToBeCancelled ? 'cancelled' : 'failed';
    // A node that stops what nobody asked it to stop has failed to run it.
    case 'cancelled':
      return isToBeCancelled ? 'cancelled' : 'failed';
    case 'released':
    case 'never-started':
    case 'node-lost':
      return isToBeCancelled ? 'cancelled' : 'pending';
  }
};
