import type { Submitter } from '../ids.js';
import type { Attempt, Orphan } from '../job/attempt.js';
import { isLive, type FinishedJob, type LiveJob } from '../job/job.js';
import type { Requirement } from '../job/requirement.js';
import type { Node } from '../node/node.js';
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
import type { TrackerState } from './state.js';

/**
 * Everything that the state says and the indices do not repeat, record by record, so that the caller may pause between any two.
 * The state must stand still from the first to the last. `Restoring` makes the same state of them.
 */
export function* snapshotOf(state: TrackerState): Generator<SnapshotRecord, void, void> {
  yield stateRecord(state);
  for (const node of state.nodes.values()) yield* nodeRecords(node);
  for (const [nodeId, jobId] of state.fixedReservations) yield ['reservation', nodeId, jobId];
  yield* jobRecords(state);
}

function* jobRecords(state: TrackerState): Generator<SnapshotRecord, void, void> {
  const submitters = new Places<Submitter>();
  const requirements = new Places<Requirement>();
  for (const job of state.jobs.values()) {
    if (!isLive(job)) continue;
    const { submitter, requirement } = job;
    if (submitters.takeIn(submitter)) yield ['submitter', submitter];
    if (requirements.takeIn(requirement)) yield ['requirement', requirement.kind, requirement.labels];
    yield jobRecord(job, submitters.placeOf(submitter), requirements.placeOf(requirement));
  }
  for (const job of state.finished) {
    const { submitter } = job;
    if (submitters.takeIn(submitter)) yield ['submitter', submitter];
    yield finishedRecord(job, submitters.placeOf(submitter));
  }
}

/** What many jobs have is written once, and named by its place. */
class Places<T> {
  private readonly places = new Map<T, number>();

  /** @returns whether it is new */
  takeIn(item: T): boolean {
    if (this.places.has(item)) return false;
    this.places.set(item, this.places.size);
    return true;
  }

  /** Of what was taken in. */
  placeOf(item: T): number {
    return this.places.get(item) ?? -1;
  }
}

const stateRecord = (state: TrackerState): StateRecord => {
  const { number, leader, startedAt, isOpen } = state.term;
  return [
    'state',
    state.revision,
    state.at,
    state.clusterId ?? null,
    [number, leader ?? null, startedAt, isOpen],
    state.settings,
    state.lastFencingToken,
    state.forgottenRevision,
    [
      state.nodes.size,
      state.fixedReservations.size,
      state.jobs.size - state.finished.count,
      state.finished.count,
    ],
  ];
};

function* nodeRecords(node: Node): Generator<SnapshotRecord, void, void> {
  yield nodeRecord(node);
  for (const incarnation of node.replacedIncarnations) yield ['replaced', incarnation];
  for (const fencingToken of node.lateReported) yield ['late', fencingToken];
  for (const attempt of node.attempts.values()) yield attemptRecord('attempt', attempt);
  for (const orphan of node.orphans.values()) yield orphanRecord(orphan);
  for (const attempt of node.inDoubt.values()) yield attemptRecord('in-doubt', attempt);
}

const nodeRecord = (node: Node): NodeRecord => {
  const { former } = node;
  return [
    'node',
    node.id,
    node.incarnation,
    node.capacity,
    node.labels,
    node.kinds,
    node.status,
    node.statusSince,
    node.cordon,
    node.cordonSince,
    node.joinedAt,
    former ? [former.capacity, former.labels, former.kinds, former.until] : null,
    node.newestToken,
  ];
};

const attemptRecord = (tag: AttemptRecord[0], attempt: Attempt): AttemptRecord => {
  const { progress } = attempt;
  return [
    tag,
    attempt.jobId,
    attempt.number,
    attempt.fencingToken,
    attempt.size,
    attempt.placedAt,
    attempt.startedAt ?? null,
    attempt.stoppingSince ?? null,
    progress ? [progress.at, progress.done, progress.total ?? null] : null,
  ];
};

const orphanRecord = ({ jobId, number, fencingToken, size }: Orphan): OrphanRecord => [
  'orphan',
  jobId,
  number,
  fencingToken,
  size,
];

const jobRecord = (job: LiveJob, submitter: number, requirement: number): JobRecord => {
  const { situation } = job;
  return [
    'job',
    job.id,
    submitter,
    job.contentHash,
    requirement,
    job.size,
    job.priority,
    job.submittedAt,
    job.acceptedRevision,
    job.rank,
    job.attemptNumber,
    situation.status,
    situation.status === 'pending' ? situation.since : null,
    ...furtherOf(job),
  ];
};

const furtherOf = (job: LiveJob): [] | [FurtherOfJob] => {
  const { preferredNode, estimatedRunMs, isExclusive, cancelRequest } = job;
  const { checkpointRevision, endedToken, boundTo } = job;
  const some =
    preferredNode ?? estimatedRunMs ?? cancelRequest ?? checkpointRevision ?? endedToken ?? boundTo;
  if (some === undefined && !isExclusive) return [];
  return [
    [
      preferredNode ?? null,
      estimatedRunMs ?? null,
      isExclusive,
      cancelRequest ? [cancelRequest.by, cancelRequest.reason, cancelRequest.at] : null,
      checkpointRevision ?? null,
      endedToken ?? null,
      boundTo ?? null,
    ],
  ];
};

const finishedRecord = (job: FinishedJob, submitter: number): FinishedRecord => [
  'finished',
  job.id,
  submitter,
  job.contentHash,
  job.acceptedRevision,
  job.status,
  job.finishedAt,
  job.finishedRevision,
  job.attemptNumber,
  job.endedToken ?? null,
];
