import type { FencingToken, JobId, NodeId, Revision, Submitter } from '../ids.js';
import type { Instant } from '../instant.js';
import type { Attempt } from './attempt.js';
import type { Requirement } from './requirement.js';

/** What a live job is doing. Being in doubt, bound or asked to cancel are facets of it. */
export type Situation =
  | {
      readonly status: 'pending';
      readonly since: Instant;
      /** The attempt on a lost node, which may still come back (P15). */
      readonly inDoubt: Attempt | undefined;
    }
  | { readonly status: 'placed'; readonly attempt: Attempt }
  | { readonly status: 'running'; readonly attempt: Attempt };

export interface CancelRequest {
  readonly by: Submitter;
  readonly reason: string;
  readonly at: Instant;
}

/** A job that has not reached its end. Payload, name, tags and checkpoints stand in the log, at the revisions named here. */
export interface LiveJob {
  readonly id: JobId;
  readonly submitter: Submitter;
  readonly contentHash: string;
  readonly requirement: Requirement;
  readonly size: number;
  readonly priority: number;
  readonly submittedAt: Instant;
  /** Of its JobAccepted, which holds the payload. */
  readonly acceptedRevision: Revision;
  readonly preferredNode: NodeId | undefined;
  readonly estimatedRunMs: number | undefined;
  readonly isExclusive: boolean;
  /** Place in the order of waiting jobs, lowest first; constant while it waits (P26). See `waitingRank`. */
  rank: number;
  /** Of its newest attempt; 0 before the first. */
  attemptNumber: number;
  situation: Situation;
  cancelRequest: CancelRequest | undefined;
  /** Of its newest checkpoint. */
  checkpointRevision: Revision | undefined;
  /** Of its newest attempt that ended by its node's word, so that a repeated word is known as such. */
  endedToken: FencingToken | undefined;
  /** The node in whose queue it waits (policy `early-binding`). */
  boundTo: NodeId | undefined;
}

export type FinalStatus = 'completed' | 'failed' | 'cancelled';

/** What is remembered of a job that is over, until it is forgotten (P23). */
export interface FinishedJob {
  readonly id: JobId;
  readonly submitter: Submitter;
  readonly contentHash: string;
  readonly acceptedRevision: Revision;
  readonly status: FinalStatus;
  readonly finishedAt: Instant;
  /** Of the event that finished it, which holds the result. */
  readonly finishedRevision: Revision;
  /** Of its newest attempt; 0 if there was none. */
  readonly attemptNumber: number;
  /** Of its newest attempt that ended by its node's word. */
  readonly endedToken: FencingToken | undefined;
}

export type Job = LiveJob | FinishedJob;

export const isLive = (job: Job): job is LiveJob => 'situation' in job;

/** The attempt that counts, if there is one, in doubt or not. */
export const liveAttemptOf = ({ situation }: LiveJob): Attempt | undefined =>
  situation.status === 'pending' ? situation.inDoubt : situation.attempt;
