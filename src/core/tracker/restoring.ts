import type { Submitter } from '../ids.js';
import { invariant } from '../invariant.js';
import type { Attempt } from '../job/attempt.js';
import type { CancelRequest, FinishedJob, LiveJob, Situation } from '../job/job.js';
import { requirementOf, type Requirement } from '../job/requirement.js';
import { hold, holdOrphan } from '../node/holding.js';
import type { FormerOffer, Node } from '../node/node.js';
import type {
  AttemptRecord,
  FinishedRecord,
  FurtherOfJob,
  JobRecord,
  NodeRecord,
  OrphanRecord,
  SnapshotRecord,
  StateRecord,
} from './snapshot-records.js';
import { TrackerState } from './state.js';

/** What a state has that is not a collection. A field that is added to the state does not compile until it is restored. */
type Scalars = Omit<
  TrackerState,
  'jobs' | 'nodes' | 'fixedReservations' | 'requirements' | 'waiting' | 'placeable' | 'finished' | 'liveJob'
>;

/** A state that is being filled, and what its records still have to be matched with. */
interface Filled {
  readonly state: TrackerState;
  readonly liveJobs: LiveJob[];
  /** That count, in doubt or not, and whose jobs are still to come. */
  readonly attempts: Map<Attempt['jobId'], Attempt>;
  node: Node | undefined;
}

/**
 * Makes states of the records of `snapshotOf`: as many as are asked for, equal and with nothing in common that is ever changed.
 *
 * @throws InvariantBroken (from any call) if the records are not those of a state
 */
export class Restoring {
  private readonly filled: readonly Filled[];
  private readonly submitters: Submitter[] = [];
  private readonly requirements: Requirement[] = [];
  /** Never changed once they are, so that all states may have the same. */
  private readonly finished: FinishedJob[] = [];
  private counts: StateRecord[8] | undefined;

  constructor(stateCount: number) {
    this.filled = Array.from({ length: stateCount }, () => ({
      state: new TrackerState(),
      liveJobs: [],
      attempts: new Map(),
      node: undefined,
    }));
  }

  add(record: SnapshotRecord): void {
    switch (record[0]) {
      case 'state':
        return this.addState(record);
      case 'node':
        return this.addNode(record);
      case 'replaced':
        for (const { node } of this.filled) node?.replacedIncarnations.push(record[1]);
        return;
      case 'late':
        for (const { node } of this.filled) node?.lateReported.add(record[1]);
        return;
      case 'attempt':
      case 'in-doubt':
        return this.addAttempt(record);
      case 'orphan':
        return this.addOrphan(record);
      case 'reservation':
        for (const { state } of this.filled) state.fixedReservations.set(record[1], record[2]);
        return;
      case 'submitter':
        this.submitters.push(record[1]);
        return;
      case 'requirement':
        this.requirements.push(requirementOf(record[1], record[2]));
        return;
      case 'job':
        return this.addJob(record);
      case 'finished':
        this.finished.push(finishedJob(record, this.submitterOf(record)));
        return;
    }
  }

  /** To be called once, after the last record. */
  finish(): TrackerState[] {
    const { counts, finished } = this;
    invariant(counts, 'a snapshot begins with its state');
    const byAcceptance = finished.toSorted(inOrderOfAcceptance);
    return this.filled.map(({ state, liveJobs, attempts }) => {
      for (const job of finished) state.finished.add(job);
      addAllJobs(state, liveJobs, byAcceptance);
      for (const node of state.nodes.values()) state.placeable.update(node);
      const found = [state.nodes.size, state.fixedReservations.size, liveJobs.length, finished.length];
      invariant(found.join() === counts.join(), `a snapshot of ${counts.join()} has ${found.join()}`);
      invariant(state.jobs.size === liveJobs.length + finished.length, 'a snapshot has a job twice');
      invariant(attempts.size === 0, 'a snapshot has an attempt of no job');
      return state;
    });
  }

  private addState(record: StateRecord): void {
    this.counts = record[8];
    for (const { state } of this.filled) Object.assign(state, scalars(record));
  }

  private addNode(record: NodeRecord): void {
    const former = formerOffer(record[11]);
    for (const filled of this.filled) {
      filled.node = node(record, former);
      filled.state.nodes.set(filled.node.id, filled.node);
    }
  }

  private addAttempt(record: AttemptRecord): void {
    const progress = progressOf(record[8]);
    for (const { node, attempts } of this.filled) {
      invariant(node, 'an attempt follows its node');
      const held = attempt(record, node, progress);
      invariant(!attempts.has(held.jobId), `job ${held.jobId} has one attempt that counts`);
      attempts.set(held.jobId, held);
      if (record[0] === 'attempt') hold(node, held);
      else node.inDoubt.set(held.fencingToken, held);
    }
  }

  private addOrphan([, jobId, number, fencingToken, size]: OrphanRecord): void {
    const orphan = { jobId, number, fencingToken, size };
    for (const { node } of this.filled) {
      invariant(node, 'an orphan follows its node');
      holdOrphan(node, orphan);
    }
  }

  private addJob(record: JobRecord): void {
    const submitter = this.submitterOf(record);
    const requirement = this.requirements[record[4]];
    invariant(requirement, `job ${record[1]} follows its requirement`);
    const further = furtherOf(record[13]);
    for (const { state, liveJobs, attempts } of this.filled) {
      const situation = situationOf(record, attempts.get(record[1]));
      attempts.delete(record[1]);
      const job = liveJob(record, { submitter, requirement, situation, ...further });
      state.requirements.takeAgain(requirement);
      liveJobs.push(job);
      if (situation.status === 'pending') state.waiting.add(job);
    }
  }

  private submitterOf([, id, place]: JobRecord | FinishedRecord): Submitter {
    const submitter = this.submitters[place];
    invariant(submitter !== undefined, `job ${id} follows its submitter`);
    return submitter;
  }
}

interface Accepted {
  readonly acceptedRevision: number;
}

const inOrderOfAcceptance = (one: Accepted, other: Accepted): number =>
  one.acceptedRevision - other.acceptedRevision;

/** A job that finishes keeps its place among all, so all are in the order in which they were accepted. */
const addAllJobs = (
  state: TrackerState,
  liveJobs: readonly LiveJob[],
  finished: readonly FinishedJob[],
): void => {
  let next = 0;
  for (const job of liveJobs) {
    for (; next < finished.length; next += 1) {
      const before = finished[next];
      if (!before || before.acceptedRevision > job.acceptedRevision) break;
      state.jobs.set(before.id, before);
    }
    state.jobs.set(job.id, job);
  }
  for (const job of finished.slice(next)) state.jobs.set(job.id, job);
};

const scalars = ([, revision, at, clusterId, term, ...further]: StateRecord): Scalars => {
  const [number, leader, startedAt, isOpen] = term;
  const [settings, lastFencingToken, forgottenRevision] = further;
  return {
    revision,
    at,
    clusterId: clusterId ?? undefined,
    term: { number, leader: leader ?? undefined, startedAt, isOpen },
    settings,
    lastFencingToken,
    forgottenRevision,
  };
};

const node = (record: NodeRecord, former: FormerOffer | undefined): Node => {
  const [, id, incarnation, capacity, labels, kinds, status, statusSince, ...further] = record;
  const [cordon, cordonSince, joinedAt, , newestToken] = further;
  return {
    id,
    incarnation,
    capacity,
    labels,
    kinds,
    status,
    statusSince,
    cordon,
    cordonSince,
    joinedAt,
    former,
    replacedIncarnations: [],
    attempts: new Map(),
    orphans: new Map(),
    lateReported: new Set(),
    inDoubt: new Map(),
    held: 0,
    newestToken,
  };
};

const formerOffer = (former: NodeRecord[11]): FormerOffer | undefined => {
  if (!former) return undefined;
  const [capacity, labels, kinds, until] = former;
  return { capacity, labels, kinds, until };
};

const attempt = (record: AttemptRecord, { id: nodeId }: Node, progress: Attempt['progress']): Attempt => {
  const [, jobId, number, fencingToken, size, placedAt, startedAt, stoppingSince] = record;
  return {
    jobId,
    number,
    nodeId,
    fencingToken,
    size,
    placedAt,
    startedAt: startedAt ?? undefined,
    stoppingSince: stoppingSince ?? undefined,
    progress,
  };
};

const progressOf = (progress: AttemptRecord[8]): Attempt['progress'] => {
  if (!progress) return undefined;
  const [at, done, total] = progress;
  return { at, done, total: total ?? undefined };
};

type Further = Pick<
  LiveJob,
  | 'preferredNode'
  | 'estimatedRunMs'
  | 'isExclusive'
  | 'cancelRequest'
  | 'checkpointRevision'
  | 'endedToken'
  | 'boundTo'
>;

const nothingFurther: Further = {
  preferredNode: undefined,
  estimatedRunMs: undefined,
  isExclusive: false,
  cancelRequest: undefined,
  checkpointRevision: undefined,
  endedToken: undefined,
  boundTo: undefined,
};

const furtherOf = (further: FurtherOfJob | undefined): Further => {
  if (!further) return nothingFurther;
  const [preferredNode, estimatedRunMs, isExclusive, request, checkpointRevision, endedToken, boundTo] =
    further;
  return {
    preferredNode: preferredNode ?? undefined,
    estimatedRunMs: estimatedRunMs ?? undefined,
    isExclusive,
    cancelRequest: cancelRequestOf(request),
    checkpointRevision: checkpointRevision ?? undefined,
    endedToken: endedToken ?? undefined,
    boundTo: boundTo ?? undefined,
  };
};

const cancelRequestOf = (request: FurtherOfJob[3]): CancelRequest | undefined => {
  if (!request) return undefined;
  const [by, reason, at] = request;
  return { by, reason, at };
};

const situationOf = (record: JobRecord, attempt: Attempt | undefined): Situation => {
  const status = record[11];
  const since = record[12];
  if (status === 'pending') {
    invariant(since !== null, `job ${record[1]} waits since some instant`);
    return { status, since, inDoubt: attempt };
  }
  invariant(attempt, `job ${record[1]} is ${status}, and no node has its attempt`);
  return { status, attempt };
};

const liveJob = (
  record: JobRecord,
  rest: Further & Pick<LiveJob, 'submitter' | 'requirement' | 'situation'>,
): LiveJob => ({
  id: record[1],
  submitter: rest.submitter,
  contentHash: record[3],
  requirement: rest.requirement,
  size: record[5],
  priority: record[6],
  submittedAt: record[7],
  acceptedRevision: record[8],
  preferredNode: rest.preferredNode,
  estimatedRunMs: rest.estimatedRunMs,
  isExclusive: rest.isExclusive,
  rank: record[9],
  attemptNumber: record[10],
  situation: rest.situation,
  cancelRequest: rest.cancelRequest,
  checkpointRevision: rest.checkpointRevision,
  endedToken: rest.endedToken,
  boundTo: rest.boundTo,
});

const finishedJob = (record: FinishedRecord, submitter: Submitter): FinishedJob => ({
  id: record[1],
  submitter,
  contentHash: record[3],
  acceptedRevision: record[4],
  status: record[5],
  finishedAt: record[6],
  finishedRevision: record[7],
  attemptNumber: record[8],
  endedToken: record[9] ?? undefined,
});
