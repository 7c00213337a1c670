import type { FencingToken, Incarnation, JobId, NodeId } from '../ids.js';
import type { AttemptEnd } from '../job/attempt.js';
import type { Labels } from '../job/requirement.js';
import type { JsonValue } from '../json.js';

/** An attempt as its node knows it (P14). The report of one that ended follows as a fact of its own. */
export interface ListedAttempt {
  readonly jobId: JobId;
  readonly attempt: number;
  readonly fencingToken: FencingToken;
  readonly size: number;
  readonly state: 'accepted' | 'running' | 'stopping' | 'ended';
}

/** A session began: the node says what it is, and all it has accepted and was not released from. */
export interface NodeSaidHello {
  readonly type: 'NodeSaidHello';
  readonly nodeId: NodeId;
  readonly incarnation: Incarnation;
  readonly capacity: number;
  readonly labels: Labels;
  readonly kinds: readonly string[];
  readonly attempts: readonly ListedAttempt[];
}

/** A node that had fallen silent is heard again in the same session. */
export interface NodeReturned {
  readonly type: 'NodeReturned';
  readonly nodeId: NodeId;
  readonly incarnation: Incarnation;
}

/** Nothing was heard of the node for the time that makes it unreachable, or lost (P7). */
export interface NodeFellSilent {
  readonly type: 'NodeFellSilent';
  readonly nodeId: NodeId;
  readonly incarnation: Incarnation;
  readonly judgedAs: 'unreachable' | 'lost';
}

export interface NodeSaidGoodbye {
  readonly type: 'NodeSaidGoodbye';
  readonly nodeId: NodeId;
  readonly incarnation: Incarnation;
}

/** What a node reports of an attempt. */
export type Report =
  | { readonly state: 'running' }
  | { readonly state: 'stopping' }
  | {
      readonly state: 'progressed';
      readonly done: number;
      readonly total?: number;
      readonly message?: string;
    }
  | { readonly state: 'checkpointed'; readonly checkpoint: JsonValue }
  | { readonly state: 'ended'; readonly end: AttemptEnd };

export interface AttemptReported {
  readonly type: 'AttemptReported';
  readonly nodeId: NodeId;
  readonly incarnation: Incarnation;
  readonly jobId: JobId;
  readonly attempt: number;
  readonly fencingToken: FencingToken;
  readonly report: Report;
}

/** The leader's clock ticked. */
export interface TimePassed {
  readonly type: 'TimePassed';
}

/** The wall clock jumped ahead by so many milliseconds (P8). */
export interface ClockJumped {
  readonly type: 'ClockJumped';
  readonly byMs: number;
}

/** Something that happened, and is never refused. */
export type Fact =
  | NodeSaidHello
  | NodeReturned
  | NodeFellSilent
  | NodeSaidGoodbye
  | AttemptReported
  | TimePassed
  | ClockJumped;
