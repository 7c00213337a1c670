import type { PlacementReason } from '../placement/placement-reason.js';
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
import type { AttemptEnd } from '../job/attempt.js';
import type { FinalStatus } from '../job/job.js';
import type { Labels } from '../job/requirement.js';
import type { JsonValue } from '../json.js';
import type { Settings } from './settings.js';

/** The first event of a log (P9). */
export interface ClusterCreated {
  readonly type: 'ClusterCreated';
  readonly clusterId: ClusterId;
  readonly at: Instant;
}

/** A server leads from here on (P1). Every node is unheard until it says hello (P19). */
export interface TermStarted {
  readonly type: 'TermStarted';
  /** One higher than the term before; the first is 1. */
  readonly term: number;
  readonly leader: ServerId;
  readonly settings: Settings;
  readonly at: Instant;
}

/** The leader resigned: nothing of its term follows (P1). */
export interface TermEnded {
  readonly type: 'TermEnded';
  readonly term: number;
  readonly at: Instant;
}

/** The wall clock jumped ahead, and effective time followed at once (P8). */
export interface ClockStepped {
  readonly type: 'ClockStepped';
  /** How far, in milliseconds. */
  readonly byMs: number;
  readonly at: Instant;
}

export interface JobAccepted {
  readonly type: 'JobAccepted';
  readonly jobId: JobId;
  readonly submitter: Submitter;
  /** Of what the caller sent, canonical and before defaults (P23). */
  readonly contentHash: string;
  readonly kind: string;
  readonly size: number;
  readonly priority: number;
  readonly name?: string;
  readonly requiredLabels?: Labels;
  readonly preferredNode?: NodeId;
  readonly estimatedRunMs?: number;
  readonly exclusive?: true;
  readonly tags?: Labels;
  readonly payload?: JsonValue;
  readonly at: Instant;
}

/** The policy `early-binding` put the job into the queue of a node. */
export interface JobBound {
  readonly type: 'JobBound';
  readonly jobId: JobId;
  readonly nodeId: NodeId;
  readonly at: Instant;
}

export interface JobPlaced {
  readonly type: 'JobPlaced';
  readonly jobId: JobId;
  readonly nodeId: NodeId;
  readonly attempt: number;
  readonly fencingToken: FencingToken;
  readonly reason: PlacementReason;
  /** The attempt before was in doubt and ends here (P15). */
  readonly ended?: 'node-lost';
  readonly at: Instant;
}

/** The job has waited so long that one node takes nothing else until it starts there (P25). */
export interface ReservationFixed {
  readonly type: 'ReservationFixed';
  readonly jobId: JobId;
  readonly nodeId: NodeId;
  readonly at: Instant;
}

/** The node said that the attempt runs. */
export interface AttemptStarted {
  readonly type: 'AttemptStarted';
  readonly jobId: JobId;
  readonly attempt: number;
  readonly at: Instant;
}

/** The node said that it is stopping the attempt. */
export interface AttemptStopping {
  readonly type: 'AttemptStopping';
  readonly jobId: JobId;
  readonly attempt: number;
  readonly at: Instant;
}

/** Absolute, never a difference, and stored at a bounded rate (P28). */
export interface ProgressReported {
  readonly type: 'ProgressReported';
  readonly jobId: JobId;
  readonly attempt: number;
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
  readonly at: Instant;
}

/** What the next attempt is given to go on from. */
export interface CheckpointSaved {
  readonly type: 'CheckpointSaved';
  readonly jobId: JobId;
  readonly attempt: number;
  readonly checkpoint: JsonValue;
  readonly at: Instant;
}

/** The attempt ended, and what follows for its job. The one way in which a node's word ends an attempt (P16). */
export interface AttemptEnded {
  readonly type: 'AttemptEnded';
  readonly jobId: JobId;
  readonly attempt: number;
  readonly end: AttemptEnd;
  /** `pending`: the job waits again, ahead of jobs that never ran. */
  readonly then: FinalStatus | 'pending';
  readonly at: Instant;
}

/** A job that was placed or runs is to be stopped; it is cancelled once its node says so, or is lost (P16). */
export interface CancelRequested {
  readonly type: 'CancelRequested';
  readonly jobId: JobId;
  readonly by: Submitter;
  readonly reason: string;
  readonly at: Instant;
}

/** A job that waited is over. An attempt in doubt ends with it, as lost. */
export interface JobCancelled {
  readonly type: 'JobCancelled';
  readonly jobId: JobId;
  readonly by: Submitter;
  readonly reason: string;
  readonly ended?: 'node-lost';
  readonly at: Instant;
}

/** Finished jobs leave memory, oldest first (P23). Views keep them. */
export interface JobsForgotten {
  readonly type: 'JobsForgotten';
  /** Those that were finished by an event up to this revision. */
  readonly finishedUpTo: Revision;
  readonly count: number;
  readonly at: Instant;
}

/** What a node says of itself. */
interface NodeDescribed {
  readonly nodeId: NodeId;
  readonly incarnation: Incarnation;
  readonly capacity: number;
  readonly labels: Labels;
  readonly kinds: readonly string[];
  readonly at: Instant;
}

/** A node of which nothing was known. */
export interface NodeJoined extends NodeDescribed {
  readonly type: 'NodeJoined';
}

/**
 * A known incarnation is heard (again): in a new term, after silence, after its loss, or because it changed what it offers.
 * Its attempts in doubt are re-adopted, all but those in `missing` (P15).
 */
export interface NodeHeard extends NodeDescribed {
  readonly type: 'NodeHeard';
  /** Attempts in doubt that the node does not hold: they stay in doubt, or end in events that follow. */
  readonly missing?: readonly FencingToken[];
}

/** A new process of the same node. The attempts of the one before end as lost, and their jobs wait again at once (P20). */
export interface NodeReplaced extends NodeDescribed {
  readonly type: 'NodeReplaced';
}

/** Silent for a moment: it keeps its jobs and gets none. */
export interface NodeUnreachable {
  readonly type: 'NodeUnreachable';
  readonly nodeId: NodeId;
  readonly at: Instant;
}

/** Silent for long: its attempts are in doubt and their jobs wait again, but for those to be cancelled, which are (P15, P16). */
export interface NodeLost {
  readonly type: 'NodeLost';
  readonly nodeId: NodeId;
  readonly at: Instant;
}

/** It said goodbye, holding nothing. */
export interface NodeLeft {
  readonly type: 'NodeLeft';
  readonly nodeId: NodeId;
  readonly at: Instant;
}

/** They have been away for long and nobody waits for them. */
export interface NodesForgotten {
  readonly type: 'NodesForgotten';
  readonly nodeIds: readonly NodeId[];
  readonly at: Instant;
}

export interface NodeCordoned {
  readonly type: 'NodeCordoned';
  readonly nodeId: NodeId;
  readonly by: Submitter;
  readonly reason?: string;
  readonly at: Instant;
}

/** Ends a cordon and a drain alike. */
export interface NodeUncordoned {
  readonly type: 'NodeUncordoned';
  readonly nodeId: NodeId;
  readonly by: Submitter;
  readonly at: Instant;
}

export interface NodeDraining {
  readonly type: 'NodeDraining';
  readonly nodeId: NodeId;
  readonly by: Submitter;
  readonly reason?: string;
  readonly at: Instant;
}

/** A node holds an attempt that counts no more; it takes room until its end is reported or the node is lost (P17). */
export interface AttemptOrphaned {
  readonly type: 'AttemptOrphaned';
  readonly jobId: JobId;
  readonly attempt: number;
  readonly nodeId: NodeId;
  readonly fencingToken: FencingToken;
  readonly size: number;
  readonly at: Instant;
}

/** How an attempt ended that counted no more. It changes nothing for its job. */
export interface LateReportRecorded {
  readonly type: 'LateReportRecorded';
  readonly jobId: JobId;
  readonly attempt: number;
  readonly nodeId: NodeId;
  readonly fencingToken: FencingToken;
  readonly end: AttemptEnd;
  readonly at: Instant;
}

/** Everything that changes state, and all that is stored. */
export type Event =
  | ClusterCreated
  | TermStarted
  | TermEnded
  | ClockStepped
  | JobAccepted
  | JobBound
  | JobPlaced
  | ReservationFixed
  | AttemptStarted
  | AttemptStopping
  | ProgressReported
  | CheckpointSaved
  | AttemptEnded
  | CancelRequested
  | JobCancelled
  | JobsForgotten
  | NodeJoined
  | NodeHeard
  | NodeReplaced
  | NodeUnreachable
  | NodeLost
  | NodeLeft
  | NodesForgotten
  | NodeCordoned
  | NodeUncordoned
  | NodeDraining
  | AttemptOrphaned
  | LateReportRecorded;
