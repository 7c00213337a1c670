import type { Attempt, Orphan } from '../../core/job/attempt.js';
import { isLive, type FinalStatus, type LiveJob } from '../../core/job/job.js';
import type { Node } from '../../core/node/node.js';
import { compareWaiting } from '../../core/placement/waiting-rank.js';
import type { TrackerState } from '../../core/tracker/state.js';

/**
 * A state of the tracker for the outside: see `docs/cli.md`. It is made from the state alone, in an order of its own, so that the
 * same log gives the same text. What is not there is null.
 */
export type StateReport = ReturnType<typeof reportOf>;
export type NodeReport = StateReport['nodes'][number];
export type WaitingReport = StateReport['waiting'][number];
export type BusyReport = StateReport['running'][number];

/** @param forgottenCount how many finished jobs the state has forgotten */
export const reportOf = (state: TrackerState, forgottenCount: number) => {
  const live = [...state.jobs.values()].filter(isLive);
  const attempts = (status: 'placed' | 'running') =>
    live
      .filter(({ situation }) => situation.status === status)
      .map(busyOf)
      .sort((one, other) => one.attempt.fencingToken - other.attempt.fencingToken);
  return {
    revision: state.revision,
    at: state.at,
    clusterId: state.clusterId ?? null,
    term: { ...state.term, leader: state.term.leader ?? null },
    settings: state.settings,
    lastFencingToken: state.lastFencingToken,
    nodes: [...state.nodes.values()].sort(byId).map(nodeOf),
    waiting: live
      .filter(({ situation }) => situation.status === 'pending')
      .sort(compareWaiting)
      .map(waitingOf),
    placed: attempts('placed'),
    running: attempts('running'),
    fixedReservations: [...state.fixedReservations]
      .map(([nodeId, jobId]) => ({ nodeId, jobId }))
      .sort((one, other) => compare(one.nodeId, other.nodeId)),
    finished: { ...countsOf(state), forgotten: forgottenCount },
  };
};

/** By UTF-16 code units, wherever it is run. */
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
const byId = (one: { readonly id: string }, other: { readonly id: string }): number =>
  compare(one.id, other.id);

const nodeOf = (node: Node) => ({
  id: node.id,
  status: node.status,
  statusSince: node.statusSince,
  cordon: node.cordon,
  incarnation: node.incarnation,
  joinedAt: node.joinedAt,
  capacity: node.capacity,
  held: node.held,
  labels: sorted(node.labels),
  kinds: node.kinds,
  attempts: inTokenOrder(node.attempts).map(attemptOf),
  orphans: inTokenOrder(node.orphans).map(orphanOf),
  inDoubt: inTokenOrder(node.inDoubt).map(attemptOf),
});

const sorted = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).sort(([one], [other]) => compare(one, other)));

const inTokenOrder = <T extends Orphan>(attempts: ReadonlyMap<number, T>): T[] =>
  [...attempts.values()].sort((one, other) => one.fencingToken - other.fencingToken);

const orphanOf = ({ jobId, number, fencingToken, size }: Orphan) => ({
  jobId,
  attempt: number,
  fencingToken,
  size,
});

const attemptOf = (attempt: Attempt) => ({
  ...orphanOf(attempt),
  nodeId: attempt.nodeId,
  placedAt: attempt.placedAt,
  startedAt: attempt.startedAt ?? null,
  stoppingSince: attempt.stoppingSince ?? null,
  progress: attempt.progress
    ? { at: attempt.progress.at, done: attempt.progress.done, total: attempt.progress.total ?? null }
    : null,
});

const jobOf = (job: LiveJob) => ({
  id: job.id,
  submitter: job.submitter,
  kind: job.requirement.kind,
  requiredLabels: sorted(job.requirement.labels),
  size: job.size,
  priority: job.priority,
  submittedAt: job.submittedAt,
  acceptedRevision: job.acceptedRevision,
  preferredNode: job.preferredNode ?? null,
  estimatedRunMs: job.estimatedRunMs ?? null,
  exclusive: job.isExclusive,
  attemptNumber: job.attemptNumber,
  checkpointRevision: job.checkpointRevision ?? null,
  cancelRequest: job.cancelRequest
    ? { by: job.cancelRequest.by, reason: job.cancelRequest.reason, at: job.cancelRequest.at }
    : null,
});

const waitingOf = (job: LiveJob) => {
  const { situation } = job;
  const inDoubt = situation.status === 'pending' ? situation.inDoubt : undefined;
  return {
    ...jobOf(job),
    since: situation.status === 'pending' ? situation.since : job.submittedAt,
    boundTo: job.boundTo ?? null,
    inDoubt: inDoubt ? attemptOf(inDoubt) : null,
  };
};

const busyOf = (job: LiveJob) => {
  const { situation } = job;
  return { ...jobOf(job), attempt: attemptOf(attemptIn(situation)) };
};

const attemptIn = (situation: LiveJob['situation']): Attempt => {
  if (situation.status !== 'pending') return situation.attempt;
  throw new RangeError('a job that waits has no attempt');
};

const countsOf = ({ jobs }: TrackerState): Record<FinalStatus, number> => {
  const counts = { completed: 0, failed: 0, cancelled: 0 };
  for (const job of jobs.values()) if (!isLive(job)) counts[job.status] += 1;
  return counts;
};
