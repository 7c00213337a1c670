import type { NodeId } from '../core/ids.js';
import type { Attempt } from '../core/job/attempt.js';
import { liveAttemptOf, type LiveJob } from '../core/job/job.js';
import type { Event } from '../core/tracker/event.js';
import type { NodeSaidHello } from '../core/tracker/fact.js';
import type { TrackerState } from '../core/tracker/state.js';
import type { Order } from './order.js';

export interface AddressedOrder {
  readonly nodeId: NodeId;
  readonly order: Order;
}

/**
 * What a live session is to be told of an event, once that is durable (P14): each is told once, and which were sent is
 * remembered nowhere. `state` has folded the event, and perhaps more: what is over by then is not ordered any more.
 *
 * An attempt is released by the answer to the report that ended it, and a hello is answered with the difference, so neither
 * event is an order.
 */
export const ordersFor = (state: TrackerState, event: Event): readonly AddressedOrder[] => {
  switch (event.type) {
    case 'JobPlaced': {
      const job = state.liveJob(event.jobId);
      const attempt = job && liveAttemptOf(job);
      const isCurrent = attempt?.fencingToken === event.fencingToken && job?.situation.status === 'placed';
      return isCurrent ? [startOrder(state, job, attempt)] : [];
    }
    case 'CancelRequested': {
      const job = state.liveJob(event.jobId);
      const attempt = job && liveAttemptOf(job);
      return attempt ? [stopOrder(state, attempt, 'cancelled')] : [];
    }
    case 'ClusterCreated':
    case 'TermStarted':
    case 'TermEnded':
    case 'ClockStepped':
    case 'JobAccepted':
    case 'JobBound':
    case 'ReservationFixed':
    case 'AttemptStarted':
    case 'AttemptStopping':
    case 'ProgressReported':
    case 'CheckpointSaved':
    case 'AttemptEnded':
    case 'JobCancelled':
    case 'JobsForgotten':
    case 'NodeJoined':
    case 'NodeHeard':
    case 'NodeReplaced':
    case 'NodeUnreachable':
    case 'NodeLost':
    case 'NodeLeft':
    case 'NodesForgotten':
    case 'NodeCordoned':
    case 'NodeUncordoned':
    case 'NodeDraining':
    case 'AttemptOrphaned':
    case 'LateReportRecorded':
      return [];
  }
};

/** The difference between what the log says the node holds and what the node says, as orders: start, stop. */
export const ordersAfterHello = (state: TrackerState, hello: NodeSaidHello): readonly AddressedOrder[] => {
  const node = state.nodes.get(hello.nodeId);
  if (node?.incarnation !== hello.incarnation) return [];
  const listed = new Map(hello.attempts.map((attempt) => [attempt.fencingToken, attempt]));
  const orders: AddressedOrder[] = [];
  for (const attempt of node.attempts.values()) {
    const job = state.liveJob(attempt.jobId);
    if (!job) continue;
    if (!listed.has(attempt.fencingToken)) orders.push(startOrder(state, job, attempt));
    if (job.cancelRequest) orders.push(stopOrder(state, attempt, 'cancelled'));
  }
  for (const { jobId, attempt: number, fencingToken, state: doing } of hello.attempts) {
    if (doing === 'ended' || node.attempts.has(fencingToken)) continue;
    const of = { term: state.term.number, jobId, attempt: number, fencingToken };
    orders.push({ nodeId: node.id, order: { kind: 'stop', ...of, reason: 'stale' } });
  }
  return orders;
};

const ofAttempt = (state: TrackerState, { jobId, number, fencingToken }: Attempt) => ({
  term: state.term.number,
  jobId,
  attempt: number,
  fencingToken,
});

const startOrder = (state: TrackerState, job: LiveJob, attempt: Attempt): AddressedOrder => ({
  nodeId: attempt.nodeId,
  order: {
    kind: 'start',
    ...ofAttempt(state, attempt),
    acceptedRevision: job.acceptedRevision,
    ...(job.checkpointRevision !== undefined && { checkpointRevision: job.checkpointRevision }),
  },
});

const stopOrder = (state: TrackerState, attempt: Attempt, reason: 'cancelled' | 'stale'): AddressedOrder => ({
  nodeId: attempt.nodeId,
  order: { kind: 'stop', ...ofAttempt(state, attempt), reason },
});
