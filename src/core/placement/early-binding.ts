import type { Instant } from '../instant.js';
import type { LiveJob } from '../job/job.js';
import { meets, type Requirement } from '../job/requirement.js';
import type { Node } from '../node/node.js';
import type { JobBound, JobPlaced } from '../tracker/event.js';
import type { TrackerState } from '../tracker/state.js';
import { isEligible } from './eligibility.js';
import { jobPlaced } from './job-placed.js';
import { countedCapacity, oversizedStartsAt } from './oversized.js';
import type { Policy } from './policy.js';
import { compareWaiting } from './waiting-rank.js';

/**
 * Each node has a queue of its own, and a job joins one at once: that of the node with the lowest absolute load, running and
 * queued. It stays there, whatever becomes free elsewhere, until capacity grows. Kept as a reference, and for who wants it; it
 * looks at all nodes for each decision.
 */
export const earlyBinding: Policy = (state, now) =>
  nextBound(state, now) ?? nextBoundAnew(state, now) ?? nextStarted(state, now);

const nextBound = (state: TrackerState, now: Instant): JobBound | undefined => {
  let first: { readonly job: LiveJob; readonly node: Node } | undefined;
  for (const { requirement, jobs } of state.waiting.open) {
    const nodes = eligibleNodes(state, requirement);
    const capacityMax = Math.max(-1, ...nodes.map(({ capacity }) => capacity));
    const counted = countedCapacity(state, state.placeable.poolOf(requirement), now);
    // Larger ones wait for a roomier node that is away for a moment; with none of them away they are oversized.
    const job = nodes.length > 0 ? jobs.first(capacityMax < counted ? capacityMax : Infinity) : undefined;
    if (!job || (first && compareWaiting(first.job, job) < 0)) continue;
    const size = Math.min(job.size, capacityMax);
    const node = lowestLoad(
      state,
      job,
      nodes.filter(({ capacity }) => capacity >= size),
    );
    if (node) first = { job, node };
  }
  return first && { type: 'JobBound', jobId: first.job.id, nodeId: first.node.id, at: now };
};

const eligibleNodes = (state: TrackerState, requirement: Requirement): Node[] =>
  [...state.nodes.values()].filter((node) => isEligible(node) && meets(node, requirement));

/** Ties go to the preferred node, then to the smaller id. */
const lowestLoad = (state: TrackerState, job: LiveJob, nodes: readonly Node[]): Node | undefined => {
  const loadOf = ({ id, held }: Node): number => held + state.waiting.sizeInQueueOf(id);
  const isLess = (one: Node, other: Node): boolean => {
    const difference = loadOf(one) - loadOf(other);
    if (difference !== 0) return difference < 0;
    if (other.id === job.preferredNode) return false;
    return one.id === job.preferredNode || one.id < other.id;
  };
  let lowest: Node | undefined;
  for (const node of nodes) if (!lowest || isLess(node, lowest)) lowest = node;
  return lowest;
};

/**
 * A job that was oversized when it was bound, and is so no more, because a roomier node that had been away for long is back.
 * Where it is it would never start, nor would those behind it.
 */
const nextBoundAnew = (state: TrackerState, now: Instant): JobBound | undefined => {
  let first: { readonly job: LiveJob; readonly node: Node } | undefined;
  for (const nodeId of state.waiting.boundTo) {
    const job = state.waiting.firstInQueueOf(nodeId);
    if (!job || job.size <= (state.nodes.get(nodeId)?.capacity ?? 0)) continue;
    if (first && compareWaiting(first.job, job) < 0) continue;
    const roomy = eligibleNodes(state, job.requirement).filter(({ capacity }) => capacity >= job.size);
    const node = lowestLoad(state, job, roomy);
    if (node) first = { job, node };
  }
  return first && { type: 'JobBound', jobId: first.job.id, nodeId: first.node.id, at: now };
};

const nextStarted = (state: TrackerState, now: Instant): JobPlaced | undefined => {
  let first: { readonly job: LiveJob; readonly node: Node } | undefined;
  for (const nodeId of state.waiting.boundTo) {
    const node = state.nodes.get(nodeId);
    const job = state.waiting.firstInQueueOf(nodeId);
    if (!node || !job || !isEligible(node) || !canStart(state, job, node, now)) continue;
    if (!first || compareWaiting(job, first.job) < 0) first = { job, node };
  }
  if (!first) return undefined;
  const { job, node } = first;
  const rule = job.size > node.capacity ? 'oversized' : 'bound';
  return jobPlaced(state, job, node, { rule, candidateCount: 1 }, now);
};

const canStart = (state: TrackerState, job: LiveJob, node: Node, now: Instant): boolean => {
  if (job.size <= node.capacity) return node.held + job.size <= node.capacity;
  if (node.held > 0) return false;
  const pool = state.placeable.poolOf(job.requirement);
  return job.size > countedCapacity(state, pool, now) && now >= oversizedStartsAt(state, job, pool, now);
};
