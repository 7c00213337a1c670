import type { FencingToken, JobId, NodeId } from '../ids.js';
import type { Instant } from '../instant.js';
import type { JsonValue } from '../json.js';

/** Why an attempt failed, as its node tells it. */
export interface AttemptError {
  readonly message: string;
  readonly stack?: string;
  readonly exitCode?: number;
}

/** The one way in which an attempt ended (P16). */
export type AttemptEnd =
  | { readonly reason: 'succeeded'; readonly result?: JsonValue }
  | { readonly reason: 'failed' | 'timed-out'; readonly error: AttemptError; readonly outputTail?: string }
  /** Stopped because it was asked to. */
  | { readonly reason: 'cancelled'; readonly error?: AttemptError; readonly outputTail?: string }
  /** Handed back by its node, which is stopping. */
  | { readonly reason: 'released' }
  /** Withdrawn before it began; it cannot begin any more. */
  | { readonly reason: 'never-started' }
  | { readonly reason: 'node-lost' };

/** One try at running a job, from its placement until its node is released from it. */
export interface Attempt {
  readonly jobId: JobId;
  /** From 1, one higher with each placement of the job. */
  readonly number: number;
  readonly nodeId: NodeId;
  readonly fencingToken: FencingToken;
  readonly size: number;
  readonly placedAt: Instant;
  /** Present once its node said that it runs, or ran. */
  startedAt: Instant | undefined;
  /** Present once its node said that it is stopping. */
  stoppingSince: Instant | undefined;
  /** When progress was stored last, and what it was; present once there was some (P28). */
  progress: StoredProgress | undefined;
}

export interface StoredProgress {
  readonly at: Instant;
  readonly done: number;
  readonly total: number | undefined;
}

/** An attempt that its node still holds although it counts no more (P17). */
export interface Orphan {
  readonly jobId: JobId;
  readonly number: number;
  readonly fencingToken: FencingToken;
  readonly size: number;
}
