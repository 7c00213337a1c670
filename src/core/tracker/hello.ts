import type { FencingToken } from '../ids.js';
import type { Instant } from '../instant.js';
import { limits } from '../limits.js';
import type { Attempt } from '../job/attempt.js';
import { liveAttemptOf } from '../job/job.js';
import type { Node } from '../node/node.js';
import type { Integration } from './decision.js';
import { endOf } from './ended-attempt.js';
import type { Event, NodeHeard } from './event.js';
import type { ListedAttempt, NodeSaidHello } from './fact.js';
import type { TrackerState } from './state.js';

/**
 * Reconciles what a node says it holds with what the log says it holds (P14, P15, P17, P20). What both know goes on untouched;
 * an attempt that was placed and never began is ordered again by who sends orders, which is no event.
 *
 * The consequences for single attempts come in steps: the same hello is integrated again until it implies nothing more.
 */
export const hello = (state: TrackerState, fact: NodeSaidHello, now: Instant): Integration => {
  const node = state.nodes.get(fact.nodeId);
  if (node?.replacedIncarnations.includes(fact.incarnation)) {
    return { events: [], answer: { kind: 'refused', reason: 'incarnation-replaced' } };
  }
  const membership = membershipOf(node, fact, now);
  if (membership) return { events: [membership], answer: welcome(state, fact), rest: fact };
  if (!node) return { events: [], answer: welcome(state, fact) };
  const events = firstOf(consequences(state, node, fact, now));
  const answer = welcome(state, fact);
  return events.length < limits.eventsPerStepMax ? { events, answer } : { events, answer, rest: fact };
};

/** What the hello says of the node itself, if that is news. */
const membershipOf = (node: Node | undefined, fact: NodeSaidHello, at: Instant): Event | undefined => {
  const { nodeId, incarnation, capacity, labels, kinds } = fact;
  const described = { nodeId, incarnation, capacity, labels, kinds, at };
  if (!node) return { type: 'NodeJoined', ...described };
  if (node.incarnation !== incarnation) return { type: 'NodeReplaced', ...described };
  if (node.status === 'ready' && isAsAnnounced(node, fact)) return undefined;
  return heard(node, fact, described);
};

const heard = (
  node: Node,
  fact: NodeSaidHello,
  described: Omit<NodeHeard, 'type' | 'missing'>,
): NodeHeard => {
  if (node.inDoubt.size === 0) return { type: 'NodeHeard', ...described };
  const listed = new Set(fact.attempts.map(({ fencingToken }) => fencingToken));
  const missing = [...node.inDoubt.values()]
    .filter((attempt) => isMissing(attempt, listed))
    .map(({ fencingToken }) => fencingToken);
  return { type: 'NodeHeard', ...described, ...(missing.length > 0 && { missing }) };
};

/** An order that was never taken up may be on its way; what the node once had and has no more is lost (P14). */
const isMissing = (
  { fencingToken, startedAt, stoppingSince }: Attempt,
  listed: ReadonlySet<FencingToken>,
): boolean => (startedAt !== undefined || stoppingSince !== undefined) && !listed.has(fencingToken);

const isAsAnnounced = (node: Node, { capacity, labels, kinds }: NodeSaidHello): boolean =>
  node.capacity === capacity &&
  isSame(node.kinds, kinds) &&
  isSame(entriesOf(node.labels), entriesOf(labels));

const entriesOf = (labels: Node['labels']): string[] =>
  Object.entries(labels)
    .map((entry) => JSON.stringify(entry))
    .sort();

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, index) => text === other[index]);

function* consequences(state: TrackerState, node: Node, fact: NodeSaidHello, at: Instant): Generator<Event> {
  const listed = new Set<FencingToken>();
  for (const attempt of fact.attempts) {
    if (listed.has(attempt.fencingToken)) continue;
    listed.add(attempt.fencingToken);
    yield* ofListed(state, node, attempt, at);
  }
  for (const attempt of [...node.attempts.values(), ...node.inDoubt.values()]) {
    const job = isMissing(attempt, listed) ? state.liveJob(attempt.jobId) : undefined;
    if (job) yield endOf(job, attempt, { reason: 'node-lost' }, at);
  }
  for (const { jobId, number, fencingToken } of node.orphans.values()) {
    if (listed.has(fencingToken)) continue;
    const end = { reason: 'node-lost' } as const;
    yield { type: 'LateReportRecorded', jobId, attempt: number, nodeId: node.id, fencingToken, end, at };
  }
}

function* ofListed(state: TrackerState, node: Node, listed: ListedAttempt, at: Instant): Generator<Event> {
  const { jobId, attempt: number, fencingToken, size } = listed;
  const attempt = node.attempts.get(fencingToken);
  if (!attempt) {
    if (isOrphan(state, node, listed)) {
      yield { type: 'AttemptOrphaned', jobId, attempt: number, nodeId: node.id, fencingToken, size, at };
    }
    return;
  }
  // Whatever it means, it is not what was placed there: `welcome` says that it must stop.
  if (attempt.jobId !== jobId || attempt.number !== number) return;
  const isUnderWay = listed.state === 'running' || listed.state === 'stopping';
  if (isUnderWay && attempt.startedAt === undefined)
    yield { type: 'AttemptStarted', jobId, attempt: number, at };
  if (listed.state === 'stopping' && attempt.stoppingSince === undefined) {
    yield { type: 'AttemptStopping', jobId, attempt: number, at };
  }
}

/** Not known as one yet, and not merely waiting to be told that its end is recorded. */
const isOrphan = (state: TrackerState, node: Node, { jobId, fencingToken }: ListedAttempt): boolean =>
  !node.orphans.has(fencingToken) &&
  !node.lateReported.has(fencingToken) &&
  state.jobs.get(jobId)?.endedToken !== fencingToken &&
  // A token from before a backup was restored may still be given out, and names nothing until then.
  fencingToken <= state.lastFencingToken;

/** Whatever it runs that does not count must stop. */
const welcome = (state: TrackerState, fact: NodeSaidHello): Integration['answer'] => {
  const counts = ({ jobId, fencingToken }: ListedAttempt): boolean => {
    const job = state.liveJob(jobId);
    const attempt = job && liveAttemptOf(job);
    return attempt?.fencingToken === fencingToken && attempt.nodeId === fact.nodeId;
  };
  const isEnded = ({ state: now }: ListedAttempt): boolean => now === 'ended';
  return { kind: 'welcome', stale: fact.attempts.filter((listed) => !isEnded(listed) && !counts(listed)) };
};

const firstOf = (events: Generator<Event>): Event[] => {
  const first: Event[] = [];
  for (const event of events) {
    first.push(event);
    if (first.length === limits.eventsPerStepMax) break;
  }
  return first;
};
