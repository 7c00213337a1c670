import type { JobId, NodeId } from '../ids.js';
import type { Instant } from '../instant.js';
import { invariant } from '../invariant.js';
import type { Attempt } from '../job/attempt.js';
import { liveAttemptOf, type FinalStatus, type LiveJob } from '../job/job.js';
import { hold, release } from '../node/holding.js';
import type { Node } from '../node/node.js';
import { waitingRank } from '../placement/waiting-rank.js';
import { bind } from './binding.js';
import type {
  AttemptEnded,
  AttemptStarted,
  AttemptStopping,
  CancelRequested,
  CheckpointSaved,
  JobAccepted,
  JobBound,
  JobCancelled,
  JobPlaced,
  JobsForgotten,
  ProgressReported,
  ReservationFixed,
} from './event.js';
import type { TrackerState } from './state.js';

const noLabels = {};

export const onJobAccepted = (state: TrackerState, event: JobAccepted): void => {
  invariant(!state.jobs.has(event.jobId), `job ${event.jobId} was accepted before`);
  const job: LiveJob = {
    id: event.jobId,
    submitter: event.submitter,
    contentHash: event.contentHash,
    requirement: state.requirements.take(event.kind, event.requiredLabels ?? noLabels),
    size: event.size,
    priority: event.priority,
    submittedAt: event.at,
    acceptedRevision: state.revision,
    preferredNode: event.preferredNode,
    estimatedRunMs: event.estimatedRunMs,
    isExclusive: event.exclusive ?? false,
    rank: waitingRank({ submittedAt: event.at, priority: event.priority }, false, state.settings.ageingMs),
    attemptNumber: 0,
    situation: { status: 'pending', since: event.at, inDoubt: undefined },
    cancelRequest: undefined,
    checkpointRevision: undefined,
    endedToken: undefined,
    boundTo: undefined,
  };
  state.jobs.set(job.id, job);
  state.waiting.add(job);
};

export const onJobBound = (state: TrackerState, { jobId, nodeId }: JobBound): void => {
  bind(state, waitingJob(state, jobId), nodeId);
};

export const onJobPlaced = (state: TrackerState, event: JobPlaced): void => {
  const job = waitingJob(state, event.jobId);
  const node = knownNode(state, event.nodeId);
  invariant(
    event.attempt === job.attemptNumber + 1,
    `attempt ${event.attempt} of job ${job.id} follows attempt ${job.attemptNumber}`,
  );
  invariant(
    event.fencingToken === state.lastFencingToken + 1,
    `token ${event.fencingToken} follows token ${state.lastFencingToken}`,
  );
  leaveQueue(state, job);
  job.attemptNumber = event.attempt;
  state.lastFencingToken = event.fencingToken;
  const attempt: Attempt = {
    jobId: job.id,
    number: event.attempt,
    nodeId: event.nodeId,
    fencingToken: event.fencingToken,
    size: job.size,
    placedAt: event.at,
    startedAt: undefined,
    stoppingSince: undefined,
    progress: undefined,
  };
  job.situation = { status: 'placed', attempt };
  hold(node, attempt);
  state.placeable.update(node);
};

export const onReservationFixed = (state: TrackerState, { jobId, nodeId }: ReservationFixed): void => {
  waitingJob(state, jobId);
  knownNode(state, nodeId);
  state.fixedReservations.set(nodeId, jobId);
};

export const onAttemptStarted = (state: TrackerState, event: AttemptStarted): void => {
  const { job, attempt } = heldAttempt(state, event);
  attempt.startedAt = event.at;
  job.situation = { status: 'running', attempt };
};

export const onAttemptStopping = (state: TrackerState, event: AttemptStopping): void => {
  heldAttempt(state, event).attempt.stoppingSince = event.at;
};

export const onProgressReported = (state: TrackerState, event: ProgressReported): void => {
  const { at, done, total } = event;
  heldAttempt(state, event).attempt.progress = { at, done, total };
};

export const onCheckpointSaved = (state: TrackerState, event: CheckpointSaved): void => {
  heldAttempt(state, event).job.checkpointRevision = state.revision;
};

export const onAttemptEnded = (state: TrackerState, event: AttemptEnded): void => {
  const { job, attempt } = liveAttempt(state, event);
  const node = knownNode(state, attempt.nodeId);
  if (event.end.reason !== 'node-lost') job.endedToken = attempt.fencingToken;
  if (job.situation.status === 'pending') leaveQueue(state, job);
  release(node, attempt.fencingToken);
  state.placeable.update(node);
  if (event.then === 'pending') waitAgain(state, job, event.at, undefined);
  else finish(state, job, event.then, event.at);
};

export const onCancelRequested = (state: TrackerState, event: CancelRequested): void => {
  const { by, reason, at } = event;
  existingJob(state, event.jobId).cancelRequest = { by, reason, at };
};

export const onJobCancelled = (state: TrackerState, { jobId, at }: JobCancelled): void => {
  const job = waitingJob(state, jobId);
  leaveQueue(state, job);
  finish(state, job, 'cancelled', at);
};

export const onJobsForgotten = (state: TrackerState, { finishedUpTo }: JobsForgotten): void => {
  for (;;) {
    const job = state.finished.oldest;
    if (!job || job.finishedRevision > finishedUpTo) break;
    state.finished.takeOldest();
    state.jobs.delete(job.id);
  }
  state.forgottenRevision = state.revision;
};

/** The job is over. It must hold no place in a queue and no room on a node. */
export const finish = (state: TrackerState, job: LiveJob, status: FinalStatus, at: Instant): void => {
  const { id, submitter, contentHash, acceptedRevision, attemptNumber, endedToken } = job;
  const finished = {
    id,
    submitter,
    contentHash,
    acceptedRevision,
    status,
    finishedAt: at,
    finishedRevision: state.revision,
    attemptNumber,
    endedToken,
  };
  state.requirements.giveBack(job.requirement);
  state.jobs.set(id, finished);
  state.finished.add(finished);
};

/** The job waits again, ahead of those that never ran, by its old submission time. */
export const waitAgain = (
  state: TrackerState,
  job: LiveJob,
  at: Instant,
  inDoubt: Attempt | undefined,
): void => {
  job.situation = { status: 'pending', since: at, inDoubt };
  job.rank = waitingRank(job, true, state.settings.ageingMs);
  state.waiting.add(job);
};

/** A waiting job stops waiting, whatever for; an attempt in doubt is over with that. */
export const leaveQueue = (state: TrackerState, job: LiveJob): void => {
  state.waiting.remove(job);
  job.boundTo = undefined;
  for (const [nodeId, jobId] of state.fixedReservations) {
    if (jobId === job.id) state.fixedReservations.delete(nodeId);
  }
  const inDoubt = job.situation.status === 'pending' ? job.situation.inDoubt : undefined;
  if (inDoubt) state.nodes.get(inDoubt.nodeId)?.inDoubt.delete(inDoubt.fencingToken);
};

export const existingJob = (state: TrackerState, id: JobId): LiveJob => {
  const job = state.liveJob(id);
  invariant(job, `job ${id} is not live`);
  return job;
};

const waitingJob = (state: TrackerState, id: JobId): LiveJob => {
  const job = existingJob(state, id);
  invariant(job.situation.status === 'pending', `job ${id} is ${job.situation.status}, not pending`);
  return job;
};

export const knownNode = (state: TrackerState, id: NodeId): Node => {
  const node = state.nodes.get(id);
  invariant(node, `node ${id} is not known`);
  return node;
};

interface OfAttempt {
  readonly jobId: JobId;
  readonly attempt: number;
}

/** The job's attempt that counts, in doubt or not. */
const liveAttempt = (state: TrackerState, { jobId, attempt: number }: OfAttempt) => {
  const job = existingJob(state, jobId);
  const attempt = liveAttemptOf(job);
  invariant(attempt?.number === number, `attempt ${number} of job ${jobId} does not count`);
  return { job, attempt };
};

const heldAttempt = (state: TrackerState, of: OfAttempt): { job: LiveJob; attempt: Attempt } => {
  const found = liveAttempt(state, of);
  invariant(found.job.situation.status !== 'pending', `attempt ${of.attempt} of job ${of.jobId} is in doubt`);
  return found;
};
