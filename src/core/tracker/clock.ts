import type { NodeId } from '../ids.js';
import type { Instant } from '../instant.js';
import { limits } from '../limits.js';
import { holdsNothing, type Node } from '../node/node.js';
import type { Integration } from './decision.js';
import type { Event, JobsForgotten } from './event.js';
import type { TimePassed } from './fact.js';
import { nothing } from './membership.js';
import type { TrackerState } from './state.js';

const { eventsPerStepMax, forgottenPerStepMax } = limits;

/** What time alone brings about: forgetting. What may start because time has passed, the pump finds. */
export const timeImplies = (state: TrackerState, fact: TimePassed, now: Instant): Integration => {
  const forgotten = jobsToForget(state, now);
  if (forgotten) {
    const events = [forgotten];
    const answer = nothing;
    return forgotten.count < forgottenPerStepMax ? { events, answer } : { events, answer, rest: fact };
  }
  const nodeIds = nodesToForget(state, now);
  const events: Event[] = nodeIds.length > 0 ? [{ type: 'NodesForgotten', nodeIds, at: now }] : [];
  return { events, answer: nothing };
};

/**
 * Finished jobs are forgotten many at a time, so that forgetting costs few events: once the oldest is overdue by a tenth of the
 * time they are kept, or there are a step's worth too many.
 */
const jobsToForget = (state: TrackerState, at: Instant): JobsForgotten | undefined => {
  const { finishedKeptMs, finishedKeptMax } = state.settings;
  const { oldest, count } = state.finished;
  if (!oldest) return undefined;
  const excess = count - finishedKeptMax;
  const isOverdue = at - oldest.finishedAt >= finishedKeptMs * 1.1;
  if (!isOverdue && excess < forgottenPerStepMax) return undefined;
  let forgottenCount = 0;
  let finishedUpTo = -1;
  for (const job of state.finished) {
    const isTaken = forgottenCount < excess || at - job.finishedAt >= finishedKeptMs;
    // Jobs that one event finished are forgotten together.
    const isDue = job.finishedRevision === finishedUpTo || (isTaken && forgottenCount < forgottenPerStepMax);
    if (!isDue) break;
    finishedUpTo = job.finishedRevision;
    forgottenCount += 1;
  }
  return { type: 'JobsForgotten', finishedUpTo, count: forgottenCount, at };
};

const nodesToForget = (state: TrackerState, now: Instant): NodeId[] => {
  const isForgotten = (node: Node): boolean =>
    (node.status === 'lost' || node.status === 'left') &&
    now - node.statusSince >= state.settings.awayNodeKeptMs &&
    holdsNothing(node) &&
    node.inDoubt.size === 0;
  return [...state.nodes.values()]
    .filter(isForgotten)
    .slice(0, eventsPerStepMax)
    .map(({ id }) => id);
};
