import type { JobId, NodeId, Revision, Submitter } from '../ids.js';
import type { FinalStatus } from '../job/job.js';
import type { Labels } from '../job/requirement.js';
import type { JsonValue } from '../json.js';

/** Who asks. Operators may act on what others submitted, and on nodes. */
export interface Caller {
  readonly submitter: Submitter;
  readonly role: 'submitter' | 'operator';
}

/** What is known outside of memory of a job that is not in it (P23). */
export interface Lookup {
  /** What was looked into held everything up to this revision. */
  readonly at: Revision;
  readonly found?: {
    readonly contentHash: string;
    readonly submitter: Submitter;
    readonly status: FinalStatus;
  };
}

interface AboutForgettable {
  /** Needed as soon as any job has been forgotten: without it the answer may be `look-up`. */
  readonly lookup?: Lookup;
}

export interface SubmitJob extends AboutForgettable {
  readonly type: 'SubmitJob';
  readonly by: Caller;
  readonly jobId: JobId;
  /** Of what the caller sent, canonical and before defaults. */
  readonly contentHash: string;
  readonly kind: string;
  /** Whole, from 1 to 2^53-1. */
  readonly size: number;
  /** Whole, from -100 to 100, higher first. */
  readonly priority: number;
  readonly name?: string;
  readonly requiredLabels?: Labels;
  readonly preferredNode?: NodeId;
  readonly estimatedRunMs?: number;
  readonly exclusive?: boolean;
  readonly tags?: Labels;
  readonly payload?: JsonValue;
}

export interface CancelJob extends AboutForgettable {
  readonly type: 'CancelJob';
  readonly by: Caller;
  readonly jobId: JobId;
  readonly reason: string;
}

export interface CordonNode {
  readonly type: 'CordonNode';
  readonly by: Caller;
  readonly nodeId: NodeId;
  readonly reason?: string;
}

export interface UncordonNode {
  readonly type: 'UncordonNode';
  readonly by: Caller;
  readonly nodeId: NodeId;
}

export interface DrainNode {
  readonly type: 'DrainNode';
  readonly by: Caller;
  readonly nodeId: NodeId;
  readonly reason?: string;
}

/** A request, which may be refused. */
export type Command = SubmitJob | CancelJob | CordonNode | UncordonNode | DrainNode;
