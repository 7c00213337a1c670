import type { FencingToken, JobId } from '../ids.js';
import type { Instant } from '../instant.js';
import type { Attempt } from '../job/attempt.js';
import { liveAttemptOf } from '../job/job.js';
import { meets, type Offer } from '../job/requirement.js';
import { hold, holdOrphan, release, releaseAll } from '../node/holding.js';
import { holdsNothing, type Cordon, type Node } from '../node/node.js';
import { limits } from '../limits.js';
import { invariant } from '../invariant.js';
import { unbindAll, unbindQueueOf } from './binding.js';
import { existingJob, finish, knownNode, leaveQueue, waitAgain } from './evolve-jobs.js';
import type {
  AttemptOrphaned,
  LateReportRecorded,
  NodeCordoned,
  NodeDraining,
  NodeHeard,
  NodeJoined,
  NodeLeft,
  NodeLost,
  NodeReplaced,
  NodesForgotten,
  NodeUncordoned,
  NodeUnreachable,
} from './event.js';
import type { TrackerState } from './state.js';

export const onNodeJoined = (state: TrackerState, event: NodeJoined): void => {
  const { nodeId, incarnation, capacity, labels, kinds, at } = event;
  invariant(!state.nodes.has(nodeId), `node ${nodeId} joined before`);
  const node: Node = {
    id: nodeId,
    incarnation,
    capacity,
    labels,
    kinds,
    status: 'ready',
    statusSince: at,
    cordon: 'none',
    cordonSince: at,
    joinedAt: at,
    former: undefined,
    replacedIncarnations: [],
    attempts: new Map(),
    orphans: new Map(),
    lateReported: new Set(),
    inDoubt: new Map(),
    held: 0,
    newestToken: 0 as FencingToken,
  };
  state.nodes.set(nodeId, node);
  state.placeable.update(node);
  unbindAll(state);
};

export const onNodeHeard = (state: TrackerState, event: NodeHeard): void => {
  const node = knownNode(state, event.nodeId);
  invariant(
    node.incarnation === event.incarnation,
    `${event.incarnation} is not the incarnation of ${node.id}`,
  );
  readopt(state, node, new Set(event.missing));
  announce(state, node, event);
};

export const onNodeReplaced = (state: TrackerState, event: NodeReplaced): void => {
  const { nodeId, incarnation, at } = event;
  const node = knownNode(state, nodeId);
  const orphaned = [...node.attempts.values()];
  const inDoubt = [...node.inDoubt.values()];
  releaseAll(node);
  node.inDoubt.clear();
  node.lateReported.clear();
  for (const attempt of orphaned) loseAttempt(state, attempt.jobId, at, undefined);
  for (const { jobId } of inDoubt) {
    const job = existingJob(state, jobId);
    if (job.situation.status === 'pending') job.situation = { ...job.situation, inDoubt: undefined };
  }
  node.replacedIncarnations.push(node.incarnation);
  if (node.replacedIncarnations.length > limits.replacedIncarnationsMax) node.replacedIncarnations.shift();
  node.incarnation = incarnation;
  announce(state, node, event);
};

export const onNodeUnreachable = (state: TrackerState, { nodeId, at }: NodeUnreachable): void => {
  const node = knownNode(state, nodeId);
  node.status = 'unreachable';
  node.statusSince = at;
  state.placeable.update(node);
};

export const onNodeLost = (state: TrackerState, { nodeId, at }: NodeLost): void => {
  const node = knownNode(state, nodeId);
  const attempts = [...node.attempts.values()];
  releaseAll(node);
  for (const attempt of attempts) {
    if (loseAttempt(state, attempt.jobId, at, attempt)) node.inDoubt.set(attempt.fencingToken, attempt);
  }
  goAway(state, node, 'lost', at);
};

export const onNodeLeft = (state: TrackerState, { nodeId, at }: NodeLeft): void => {
  const node = knownNode(state, nodeId);
  invariant(holdsNothing(node), `node ${nodeId} left with attempts`);
  goAway(state, node, 'left', at);
};

export const onNodesForgotten = (state: TrackerState, { nodeIds }: NodesForgotten): void => {
  for (const nodeId of nodeIds) {
    const node = knownNode(state, nodeId);
    invariant(holdsNothing(node) && node.inDoubt.size === 0, `node ${nodeId} is forgotten with attempts`);
    state.placeable.remove(node);
    state.nodes.delete(nodeId);
  }
};

export const onCordonChanged = (
  state: TrackerState,
  { nodeId, at }: NodeCordoned | NodeUncordoned | NodeDraining,
  cordon: Cordon,
): void => {
  const node = knownNode(state, nodeId);
  node.cordon = cordon;
  node.cordonSince = at;
  state.placeable.update(node);
  if (cordon === 'none') {
    unbindAll(state);
    return;
  }
  unbindQueueOf(state, nodeId);
  state.fixedReservations.delete(nodeId);
};

export const onAttemptOrphaned = (state: TrackerState, event: AttemptOrphaned): void => {
  const { nodeId, jobId, attempt: number, fencingToken, size } = event;
  const node = knownNode(state, nodeId);
  holdOrphan(node, { jobId, number, fencingToken, size });
  state.placeable.update(node);
};

export const onLateReportRecorded = (
  state: TrackerState,
  { nodeId, fencingToken }: LateReportRecorded,
): void => {
  const node = knownNode(state, nodeId);
  release(node, fencingToken);
  rememberLateReport(node, fencingToken);
  state.placeable.update(node);
};

const rememberLateReport = ({ lateReported }: Node, fencingToken: FencingToken): void => {
  lateReported.add(fencingToken);
  if (lateReported.size <= limits.lateReportsPerNodeMax) return;
  const [oldest] = lateReported;
  if (oldest !== undefined) lateReported.delete(oldest);
};

/** The node is heard, and is what it says it is. */
const announce = (state: TrackerState, node: Node, event: NodeHeard | NodeReplaced): void => {
  const { capacity, labels, kinds, at } = event;
  const offersLess = capacity < node.capacity || !covers(event, node);
  const offersMore =
    node.status === 'lost' || node.status === 'left' || capacity > node.capacity || !covers(node, event);
  if (offersLess) {
    const former = Math.max(node.capacity, node.former?.capacity ?? 0);
    node.former = { capacity: former, labels: node.labels, kinds: node.kinds, until: at };
    unbindQueueOf(state, node.id);
    state.fixedReservations.delete(node.id);
  }
  node.capacity = capacity;
  node.labels = labels;
  node.kinds = kinds;
  node.status = 'ready';
  node.statusSince = at;
  state.placeable.update(node);
  if (offersMore) unbindAll(state);
};

/** Whatever can run on `other` can run on `offer`, as far as kinds and labels go. */
const covers = (offer: Offer, other: Offer): boolean =>
  other.kinds.every((kind) => meets(offer, { kind, labels: other.labels, key: '' }));

/** The node was lost and is back: what was in doubt on it goes on, but for what it says it does not hold (P15). */
const readopt = (state: TrackerState, node: Node, missing: ReadonlySet<number>): void => {
  for (const attempt of [...node.inDoubt.values()]) {
    if (missing.has(attempt.fencingToken)) continue;
    const job = existingJob(state, attempt.jobId);
    leaveQueue(state, job);
    job.situation = { status: attempt.startedAt === undefined ? 'placed' : 'running', attempt };
    hold(node, attempt);
  }
};

/**
 * The attempt's node is gone. A job that was to be cancelled is (P16); any other waits again.
 *
 * @returns whether the job waits
 */
const loseAttempt = (
  state: TrackerState,
  jobId: JobId,
  at: Instant,
  inDoubt: Attempt | undefined,
): boolean => {
  const job = existingJob(state, jobId);
  invariant(liveAttemptOf(job), `job ${jobId} has no attempt to lose`);
  if (job.cancelRequest) finish(state, job, 'cancelled', at);
  else waitAgain(state, job, at, inDoubt);
  return job.cancelRequest === undefined;
};

const goAway = (state: TrackerState, node: Node, status: 'lost' | 'left', at: Instant): void => {
  node.status = status;
  node.statusSince = at;
  state.placeable.update(node);
  unbindQueueOf(state, node.id);
  state.fixedReservations.delete(node.id);
};
