import type { FencingToken, Incarnation, NodeId } from '../ids.js';
import type { Instant } from '../instant.js';
import type { Attempt, Orphan } from '../job/attempt.js';
import type { Labels, Offer } from '../job/requirement.js';

/**
 * How well we hear the node in this term.
 * - `ready`: it said hello in this term and is heard.
 * - `unheard`: it has not said hello since the term began (P19). Keeps its jobs, gets none.
 * - `unreachable`: it fell silent a moment ago. Keeps its jobs, gets none.
 * - `lost`: its attempts are in doubt, and their jobs wait again (P15).
 * - `left`: it said goodbye and holds nothing.
 */
export type NodeStatus = 'ready' | 'unheard' | 'unreachable' | 'lost' | 'left';

/** What an operator decided about the node. Draining is a cordon that waits for the node to be empty, to be taken away. */
export type Cordon = 'none' | 'cordoned' | 'draining';

/** What a node could take before its last change, remembered for a moment (P24). */
export interface FormerOffer extends Offer {
  readonly capacity: number;
  readonly until: Instant;
}

export interface Node extends Offer {
  readonly id: NodeId;
  incarnation: Incarnation;
  capacity: number;
  labels: Labels;
  kinds: readonly string[];
  status: NodeStatus;
  cordon: Cordon;
  /** Since when its cordon is what it is. */
  cordonSince: Instant;
  /** Since when it is what its status says. */
  statusSince: Instant;
  joinedAt: Instant;
  /** Present if it offered more until then. */
  former: FormerOffer | undefined;
  /** Incarnations before this one, oldest first; none of them is accepted again (P20). */
  readonly replacedIncarnations: Incarnation[];
  /** The attempts that count, by token. */
  readonly attempts: Map<FencingToken, Attempt>;
  /** The attempts it still holds although they count no more. */
  readonly orphans: Map<FencingToken, Orphan>;
  /**
   * The orphans whose end is recorded, oldest first, of this incarnation: a node that lists one again, because it has not heard
   * that, must not have it recorded twice (P15).
   */
  readonly lateReported: Set<FencingToken>;
  /** The attempts in doubt since it was lost. They hold nothing. */
  readonly inDoubt: Map<FencingToken, Attempt>;
  /** Sum of the sizes of `attempts` and `orphans` (P17). Changed by `hold` and `release` alone. */
  held: number;
  /** Of the newest attempt it was ever given, 0 before the first. Changed by `hold` alone. */
  newestToken: FencingToken;
}

/** What the node holds, counted anew: `held` must be the same. */
export const heldBy = (node: Node): number => {
  let sum = 0;
  for (const { size } of node.attempts.values()) sum += size;
  for (const { size } of node.orphans.values()) sum += size;
  return sum;
};

export const holdsNothing = (node: Node): boolean => node.attempts.size + node.orphans.size === 0;
