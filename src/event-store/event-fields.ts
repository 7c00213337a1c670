import type { AttemptEnd, AttemptError } from '../core/job/attempt.js';
import type { PlacementReason } from '../core/placement/placement-reason.js';
import type { Event } from '../core/tracker/event.js';
import type { Settings } from '../core/tracker/settings.js';
import { anyOf, field, group, list, oneOf, optional, type Fields, type FieldsOf } from './field-checks.js';

/** Why an attempt failed. */
export const attemptErrorFields: FieldsOf<AttemptError> = {
  message: field.text,
  stack: optional(field.text),
  exitCode: optional(field.whole),
};

const attemptError = group<AttemptError>('attempt error', attemptErrorFields);

type EndOf<R extends AttemptEnd['reason'], E extends AttemptEnd = AttemptEnd> = E extends unknown
  ? R extends E['reason']
    ? E
    : never
  : never;

const failure: FieldsOf<EndOf<'failed'>> = {
  reason: oneOf('failed', 'timed-out'),
  error: attemptError,
  outputTail: optional(field.text),
};

/** How an attempt ended, by the reason. */
export const attemptEndFields: { readonly [R in AttemptEnd['reason']]: FieldsOf<EndOf<R>> } = {
  succeeded: { reason: oneOf('succeeded'), result: optional(field.json) },
  failed: failure,
  'timed-out': failure,
  cancelled: {
    reason: oneOf('cancelled'),
    error: optional(attemptError),
    outputTail: optional(field.text),
  },
  released: { reason: oneOf('released') },
  'never-started': { reason: oneOf('never-started') },
  'node-lost': { reason: oneOf('node-lost') },
};

const attemptEnd = anyOf('attempt end', 'reason', attemptEndFields);

export const placementReasonFields: FieldsOf<PlacementReason> = {
  rule: oneOf('least-loaded', 'preferred', 'oversized', 'reserved', 'bound'),
  load: field.units,
  capacity: field.units,
  candidateCount: field.count,
  estimatedRunMs: optional(field.milliseconds),
};

export const settingsFields: FieldsOf<Settings> = {
  policy: oneOf('late-binding', 'early-binding'),
  ageingMs: field.milliseconds,
  oversizedAfterMs: field.milliseconds,
  awayNodeCountsMs: field.milliseconds,
  graceMs: field.milliseconds,
  reservationFixedAfterMs: field.milliseconds,
  reservationFixedAfterMaxMs: field.milliseconds,
  finishedKeptMs: field.milliseconds,
  finishedKeptMax: field.count,
  awayNodeKeptMs: field.milliseconds,
  waitingJobsMax: field.count,
  progressIntervalMs: field.milliseconds,
};

const nodeDescribed = {
  nodeId: field.id,
  incarnation: field.id,
  capacity: field.units,
  labels: field.labels,
  kinds: list(field.text),
  at: field.instant,
} as const;

const aboutNode = { nodeId: field.id, at: field.instant } as const;
const aboutAttempt = { jobId: field.id, attempt: field.ordinal, at: field.instant } as const;
const bound = { jobId: field.id, nodeId: field.id, at: field.instant } as const;
const nodeLost = optional(oneOf('node-lost'));

type EventFields = {
  readonly [T in Event['type']]: FieldsOf<Extract<Event, { readonly type: T }>>;
};

/** The data of each event as it is stored now: by this it is checked, both when it is written and when it is read. */
export const eventFields: EventFields & Readonly<Record<Event['type'], Fields>> = {
  ClusterCreated: { clusterId: field.id, at: field.instant },
  TermStarted: {
    term: field.ordinal,
    leader: field.id,
    settings: group<Settings>('settings', settingsFields),
    at: field.instant,
  },
  TermEnded: { term: field.ordinal, at: field.instant },
  ClockStepped: { byMs: field.milliseconds, at: field.instant },
  JobAccepted: {
    jobId: field.id,
    submitter: field.id,
    contentHash: field.hash,
    kind: field.text,
    size: field.units,
    priority: field.whole,
    name: optional(field.text),
    requiredLabels: optional(field.labels),
    preferredNode: optional(field.id),
    estimatedRunMs: optional(field.milliseconds),
    exclusive: optional(oneOf(true)),
    tags: optional(field.labels),
    payload: optional(field.json),
    at: field.instant,
  },
  JobBound: bound,
  JobPlaced: {
    jobId: field.id,
    nodeId: field.id,
    attempt: field.ordinal,
    fencingToken: field.ordinal,
    reason: group<PlacementReason>('placement reason', placementReasonFields),
    ended: nodeLost,
    at: field.instant,
  },
  ReservationFixed: bound,
  AttemptStarted: aboutAttempt,
  AttemptStopping: aboutAttempt,
  ProgressReported: {
    jobId: field.id,
    attempt: field.ordinal,
    done: field.number,
    total: optional(field.number),
    message: optional(field.text),
    at: field.instant,
  },
  CheckpointSaved: { jobId: field.id, attempt: field.ordinal, checkpoint: field.json, at: field.instant },
  AttemptEnded: {
    jobId: field.id,
    attempt: field.ordinal,
    end: attemptEnd,
    then: oneOf('completed', 'failed', 'cancelled', 'pending'),
    at: field.instant,
  },
  CancelRequested: { jobId: field.id, by: field.id, reason: field.text, at: field.instant },
  JobCancelled: { jobId: field.id, by: field.id, reason: field.text, ended: nodeLost, at: field.instant },
  JobsForgotten: { finishedUpTo: field.revision, count: field.count, at: field.instant },
  NodeJoined: nodeDescribed,
  NodeHeard: { ...nodeDescribed, missing: optional(list(field.ordinal)) },
  NodeReplaced: nodeDescribed,
  NodeUnreachable: aboutNode,
  NodeLost: aboutNode,
  NodeLeft: aboutNode,
  NodesForgotten: { nodeIds: list(field.id), at: field.instant },
  NodeCordoned: { nodeId: field.id, by: field.id, reason: optional(field.text), at: field.instant },
  NodeUncordoned: { nodeId: field.id, by: field.id, at: field.instant },
  NodeDraining: { nodeId: field.id, by: field.id, reason: optional(field.text), at: field.instant },
  AttemptOrphaned: {
    jobId: field.id,
    attempt: field.ordinal,
    nodeId: field.id,
    fencingToken: field.ordinal,
    size: field.units,
    at: field.instant,
  },
  LateReportRecorded: {
    jobId: field.id,
    attempt: field.ordinal,
    nodeId: field.id,
    fencingToken: field.ordinal,
    end: attemptEnd,
    at: field.instant,
  },
};
