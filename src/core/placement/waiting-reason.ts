import type { JobId, NodeId } from '../ids.js';
import type { Instant } from '../instant.js';
import type { LiveJob } from '../job/job.js';
import { meets, type Labels } from '../job/requirement.js';
import type { Cordon, Node, NodeStatus } from '../node/node.js';
import type { TrackerState } from '../tracker/state.js';
import { earlyBinding } from './early-binding.js';
import { isEligible } from './eligibility.js';
import { countedCapacity, countsUntil, oversizedStartsAt } from './oversized.js';
import { PlacementWalk } from './placement-walk.js';
import { compareWaiting } from './waiting-rank.js';

/** Why a node gets no jobs. `full`: it has as many attempts as it can list. */
export type AwayReason = Exclude<NodeStatus, 'ready'> | Exclude<Cordon, 'none'> | 'full';

interface Explained {
  /** The reason as a sentence. */
  readonly message: string;
}

/** Why a job still waits, as placement sees it. */
export type WaitingReason = Explained &
  (
    | { readonly code: 'no-nodes' }
    | { readonly code: 'no-node-runs-kind'; readonly kind: string }
    | { readonly code: 'no-node-has-labels'; readonly kind: string; readonly labels: Labels }
    /** There are nodes that could run it, and none of them gets jobs now. */
    | { readonly code: 'nodes-away'; readonly nodes: ReadonlyMap<NodeId, AwayReason> }
    /** Nothing has room, not even what is kept for others. */
    | {
        readonly code: 'no-room';
        readonly size: number;
        readonly largestFree: number;
        readonly nodeId: NodeId;
      }
    /** The node is kept for it, and this much of it has still to become free. */
    | { readonly code: 'reserved'; readonly nodeId: NodeId; readonly toDrain: number }
    /** The node could take it, and is kept for, or goes to, a job ahead of it. */
    | { readonly code: 'behind'; readonly jobId: JobId; readonly nodeId: NodeId }
    /** Larger than every node; the roomiest must be empty before it can start there. */
    | { readonly code: 'oversized-draining'; readonly nodeId: NodeId; readonly held: number }
    /** The same, the node is empty, and a roomier one is given time until then to turn up. */
    | { readonly code: 'oversized-waiting'; readonly nodeId: NodeId; readonly until: Instant }
    /** The same, because the term has only begun. */
    | { readonly code: 'grace'; readonly nodeId: NodeId; readonly until: Instant }
    /** Larger than the nodes that get jobs now; a roomier one does not for the moment. */
    | {
        readonly code: 'roomier-node-away';
        readonly nodeId: NodeId;
        readonly capacity: number;
        readonly because: AwayReason;
      }
    /** It can start, or join a queue, with the next decision. */
    | { readonly code: 'about-to-be-placed' }
  );

/**
 * Why the job still waits; undefined if it does not. Answered by going the way that placement goes, so the two agree. Looks at
 * all nodes: it is asked by people, now and then.
 */
export const waitingReason = (state: TrackerState, jobId: JobId, now: Instant): WaitingReason | undefined => {
  const job = state.liveJob(jobId);
  if (job?.situation.status !== 'pending') return undefined;
  const question = { state, job, now };
  return (
    ofNodes(question) ?? (job.boundTo === undefined ? ofOrder(question) : ofQueue(question, job.boundTo))
  );
};

interface Question {
  readonly state: TrackerState;
  readonly job: LiveJob;
  readonly now: Instant;
}

const nodesMeeting = ({ state, job }: Question): Node[] =>
  [...state.nodes.values()].filter((node) => meets(node, job.requirement));

/** No node could take it, whatever its size. */
const ofNodes = (question: Question): WaitingReason | undefined => {
  const { state, job } = question;
  const { kind, labels } = job.requirement;
  if (state.nodes.size === 0) return { code: 'no-nodes', message: 'No node has joined yet.' };
  const meeting = nodesMeeting(question);
  if (meeting.length === 0) {
    return [...state.nodes.values()].some((node) => node.kinds.includes(kind))
      ? {
          code: 'no-node-has-labels',
          kind,
          labels,
          message: `No node that runs jobs of kind ${kind} has the labels ${written(labels)}.`,
        }
      : { code: 'no-node-runs-kind', kind, message: `No node runs jobs of kind ${kind}.` };
  }
  return meeting.some(isEligible) ? undefined : nodesAway(meeting);
};

const nodesAway = (away: readonly Node[]): WaitingReason => {
  const counts = new Map<AwayReason, number>();
  for (const node of away) counts.set(whyAway(node), (counts.get(whyAway(node)) ?? 0) + 1);
  const list = [...counts].map(([reason, count]) => `${count} ${reason}`).join(', ');
  return {
    code: 'nodes-away',
    nodes: new Map(away.map((node) => [node.id, whyAway(node)])),
    message: `None of the nodes that could run it gets jobs now: ${list}.`,
  };
};

const whyAway = ({ status, cordon }: Node): AwayReason => {
  if (status !== 'ready') return status;
  return cordon === 'none' ? 'full' : cordon;
};

/** It waits for whichever node comes first. */
const ofOrder = (question: Question): WaitingReason => {
  const { state, job, now } = question;
  if (state.settings.policy === 'early-binding') {
    const isNext = earlyBinding(state, now)?.jobId === job.id;
    return (isNext ? undefined : ofSize(question)) ?? aboutToBePlaced;
  }
  const walk = new PlacementWalk(state, now);
  const event = walk.next();
  const next = event && state.liveJob(event.jobId);
  if (event && next === job && event.type === 'JobPlaced') return aboutToBePlaced;
  if (event && next && compareWaiting(next, job) < 0) return behind(next.id, event.nodeId, 'goes to');
  return (
    ofReservation(question, walk.reservations) ??
    ofSize(question) ??
    ofRoom(question, walk.reservations) ??
    aboutToBePlaced
  );
};

/** A node is kept for it. */
const ofReservation = (
  question: Question,
  reservations: ReadonlyMap<NodeId, JobId>,
): WaitingReason | undefined => {
  const { state, job } = question;
  const kept = [...reservations].filter(([, jobId]) => jobId === job.id).map(([id]) => state.nodes.get(id));
  const node = kept.find((kept) => kept && isEligible(kept));
  if (!node) return undefined;
  if (node.capacity < job.size) return ofOversized(question, node);
  const toDrain = job.size - (node.capacity - node.held);
  return {
    code: 'reserved',
    nodeId: node.id,
    toDrain,
    message: `Node ${node.id} is kept for it, and ${toDrain} more of its ${node.capacity} must become free first.`,
  };
};

/** It is larger than every node, and is to run on this one. */
const ofOversized = ({ state, job, now }: Question, { id: nodeId, held }: Node): WaitingReason => {
  const alone = `It is larger than every node, and will run alone on node ${nodeId}`;
  if (held > 0) {
    const message = `${alone}, which must end the ${held} it holds first.`;
    return { code: 'oversized-draining', nodeId, held, message };
  }
  const until = oversizedStartsAt(state, job, state.placeable.poolOf(job.requirement), now);
  const instant = new Date(until).toISOString();
  return until === state.term.startedAt + state.settings.graceMs
    ? { code: 'grace', nodeId, until, message: `${alone} after the grace of a new term, at ${instant}.` }
    : {
        code: 'oversized-waiting',
        nodeId,
        until,
        message: `${alone} at ${instant}, if no roomier node turns up until then.`,
      };
};

/** It is too large for every node that gets jobs, and a roomier one counts although it gets none. */
const ofSize = (question: Question): WaitingReason | undefined => {
  const { state, job, now } = question;
  const meeting = nodesMeeting(question);
  const capacityMax = Math.max(...meeting.filter(isEligible).map(({ capacity }) => capacity));
  const counted = countedCapacity(state, state.placeable.poolOf(job.requirement), now);
  if (job.size <= capacityMax || counted <= capacityMax) return undefined;
  const isCounted = (node: Node): boolean => countsUntil(node, state.settings.awayNodeCountsMs) > now;
  const node = meeting.find((node) => node.capacity === counted && isCounted(node));
  if (!node) return undefined;
  const { id: nodeId, capacity } = node;
  const because = whyAway(node);
  const message = `It needs ${job.size}, and node ${nodeId}, the roomiest with ${capacity}, is ${because}.`;
  return { code: 'roomier-node-away', nodeId, capacity, because, message };
};

/** Nodes that could hold it have no room, or are kept for others. */
const ofRoom = (question: Question, reservations: ReadonlyMap<NodeId, JobId>): WaitingReason | undefined => {
  const { job } = question;
  const byFreeRoom = nodesMeeting(question)
    .filter(isEligible)
    .sort((one, other) => freeOf(other) - freeOf(one));
  const largest = byFreeRoom[0];
  const capacityMax = Math.max(...byFreeRoom.map(({ capacity }) => capacity));
  const isEnough = (node: Node): boolean =>
    job.size > capacityMax ? node.capacity === capacityMax : freeOf(node) >= job.size;
  for (const node of byFreeRoom.filter(isEnough)) {
    const jobId = reservations.get(node.id);
    if (jobId !== undefined && jobId !== job.id) return behind(jobId, node.id, 'is kept for');
  }
  return largest && noRoom(job, largest);
};

const freeOf = ({ capacity, held }: Node): number => capacity - held;

const noRoom = ({ size }: LiveJob, node: Node): WaitingReason => {
  const largestFree = Math.max(0, freeOf(node));
  const message = `It needs ${size}, and the most that is free on one node is ${largestFree}, on ${node.id}.`;
  return { code: 'no-room', size, largestFree, nodeId: node.id, message };
};

/** It waits in the queue of a node (policy `early-binding`). */
const ofQueue = (question: Question, nodeId: NodeId): WaitingReason => {
  const { state, job, now } = question;
  const node = state.nodes.get(nodeId);
  const first = state.waiting.firstInQueueOf(nodeId);
  if (!node || !first) return aboutToBePlaced;
  if (earlyBinding(state, now)?.jobId === job.id) return aboutToBePlaced;
  if (!isEligible(node)) return nodesAway([node]);
  if (first !== job) return behind(first.id, nodeId, 'has a queue that begins with');
  if (freeOf(node) >= job.size) return aboutToBePlaced;
  if (node.capacity >= job.size) return noRoom(job, node);
  const counted = countedCapacity(state, state.placeable.poolOf(job.requirement), now);
  return (counted < job.size ? undefined : ofSize(question)) ?? ofOversized(question, node);
};

const behind = (jobId: JobId, nodeId: NodeId, verb: string): WaitingReason => ({
  code: 'behind',
  jobId,
  nodeId,
  message: `Node ${nodeId} ${verb} job ${jobId}, which is ahead of it.`,
});

const aboutToBePlaced: WaitingReason = {
  code: 'about-to-be-placed',
  message: 'It gets a node with the next decisions.',
};

const written = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
