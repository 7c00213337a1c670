import type { Event } from '../core/tracker/event.js';

/** Names of the events as they are stored: short, permanent, and with the version of their fields. */
export type StoredNames = Readonly<Record<Event['type'], string>>;

/**
 * What is written today. A change of an event's fields raises its version here, and adds to `upcasters` how the version before is
 * lifted; events that are stored stay as they are.
 */
export const storedNames: StoredNames = {
  ClusterCreated: 'cluster-created.v1',
  TermStarted: 'term-started.v1',
  TermEnded: 'term-ended.v1',
  ClockStepped: 'clock-stepped.v1',
  JobAccepted: 'job-accepted.v1',
  JobBound: 'job-bound.v1',
  JobPlaced: 'job-placed.v1',
  ReservationFixed: 'reservation-fixed.v1',
  AttemptStarted: 'attempt-started.v1',
  AttemptStopping: 'attempt-stopping.v1',
  ProgressReported: 'progress-reported.v1',
  CheckpointSaved: 'checkpoint-saved.v1',
  AttemptEnded: 'attempt-ended.v1',
  CancelRequested: 'cancel-requested.v1',
  JobCancelled: 'job-cancelled.v1',
  JobsForgotten: 'jobs-forgotten.v1',
  NodeJoined: 'node-joined.v1',
  NodeHeard: 'node-heard.v1',
  NodeReplaced: 'node-replaced.v1',
  NodeUnreachable: 'node-unreachable.v1',
  NodeLost: 'node-lost.v1',
  NodeLeft: 'node-left.v1',
  NodesForgotten: 'nodes-forgotten.v1',
  NodeCordoned: 'node-cordoned.v1',
  NodeUncordoned: 'node-uncordoned.v1',
  NodeDraining: 'node-draining.v1',
  AttemptOrphaned: 'attempt-orphaned.v1',
  LateReportRecorded: 'late-report-recorded.v1',
};
