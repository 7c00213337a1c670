import type {
  ClusterId,
  FencingToken,
  Incarnation,
  JobId,
  NodeId,
  Revision,
  ServerId,
  Submitter,
} from '../ids.js';
import type { Instant } from '../instant.js';
import type { FinalStatus, Situation } from '../job/job.js';
import type { Labels } from '../job/requirement.js';
import type { Cordon, NodeStatus } from '../node/node.js';
import type { Settings } from './settings.js';

/**
 * Of the records below. To be raised with any change of what they say, a new setting included: a snapshot of another format is
 * not read, but the log instead.
 */
export const snapshotFormat = 1;

/** What is absent is `null`, because JSON has no better word for it. */
type Maybe<T> = T | null;

/** Comes first. */
export type StateRecord = readonly [
  tag: 'state',
  revision: Revision,
  at: Instant,
  clusterId: Maybe<ClusterId>,
  term: readonly [number: number, leader: Maybe<ServerId>, startedAt: Instant, isOpen: boolean],
  settings: Settings,
  lastFencingToken: FencingToken,
  forgottenRevision: Revision,
  counts: readonly [nodes: number, fixedReservations: number, liveJobs: number, finishedJobs: number],
];

export type NodeRecord = readonly [
  tag: 'node',
  id: NodeId,
  incarnation: Incarnation,
  capacity: number,
  labels: Labels,
  kinds: readonly string[],
  status: NodeStatus,
  statusSince: Instant,
  cordon: Cordon,
  cordonSince: Instant,
  joinedAt: Instant,
  former: Maybe<readonly [capacity: number, labels: Labels, kinds: readonly string[], until: Instant]>,
  newestToken: FencingToken,
];

/**
 * What a node holds or remembers in great numbers are records of their own, after that of the node, so that none takes long to
 * write. In the order in which the node has them.
 */
export type ReplacedRecord = readonly [tag: 'replaced', incarnation: Incarnation];

/** Of an orphan whose end is recorded. */
export type LateRecord = readonly [tag: 'late', fencingToken: FencingToken];

export type AttemptRecord = readonly [
  tag: 'attempt' | 'in-doubt',
  jobId: JobId,
  number: number,
  fencingToken: FencingToken,
  size: number,
  placedAt: Instant,
  startedAt: Maybe<Instant>,
  stoppingSince: Maybe<Instant>,
  progress: Maybe<readonly [at: Instant, done: number, total: Maybe<number>]>,
];

export type OrphanRecord = readonly [
  tag: 'orphan',
  jobId: JobId,
  number: number,
  fencingToken: FencingToken,
  size: number,
];

export type ReservationRecord = readonly [tag: 'reservation', nodeId: NodeId, jobId: JobId];

/** Before the first job that is from them; jobs name them by their place among the submitters, from 0. */
export type SubmitterRecord = readonly [tag: 'submitter', submitter: Submitter];

/** Before the first job that asks it; jobs name it by its place among the requirements, from 0. */
export type RequirementRecord = readonly [tag: 'requirement', kind: string, labels: Labels];

/** A live job, in the order of acceptance. Its attempt is told by its node. */
export type JobRecord = readonly [
  tag: 'job',
  id: JobId,
  submitter: number,
  contentHash: string,
  requirement: number,
  size: number,
  priority: number,
  submittedAt: Instant,
  acceptedRevision: Revision,
  rank: number,
  attemptNumber: number,
  status: Situation['status'],
  pendingSince: Maybe<Instant>,
  further?: FurtherOfJob,
];

/** What most jobs have nothing of; left out if there is nothing at all. */
export type FurtherOfJob = readonly [
  preferredNode: Maybe<NodeId>,
  estimatedRunMs: Maybe<number>,
  isExclusive: boolean,
  cancelRequest: Maybe<readonly [by: Submitter, reason: string, at: Instant]>,
  checkpointRevision: Maybe<Revision>,
  endedToken: Maybe<FencingToken>,
  boundTo: Maybe<NodeId>,
];

/** In the order in which they finished. */
export type FinishedRecord = readonly [
  tag: 'finished',
  id: JobId,
  submitter: number,
  contentHash: string,
  acceptedRevision: Revision,
  status: FinalStatus,
  finishedAt: Instant,
  finishedRevision: Revision,
  attemptNumber: number,
  endedToken: Maybe<FencingToken>,
];

/** Small pieces of JSON that together say everything that a state says, in this order: state, nodes, reservations, jobs, finished. */
export type SnapshotRecord =
  | StateRecord
  | NodeRecord
  | ReplacedRecord
  | LateRecord
  | AttemptRecord
  | OrphanRecord
  | ReservationRecord
  | SubmitterRecord
  | RequirementRecord
  | JobRecord
  | FinishedRecord;
