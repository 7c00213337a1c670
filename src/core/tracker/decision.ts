import type { JobId } from '../ids.js';
import type { Event } from './event.js';
import type { Fact, ListedAttempt } from './fact.js';

export type RejectionCode =
  | 'already-finished'
  | 'duplicate-job-id'
  | 'invalid-input'
  | 'not-operator'
  | 'not-submitter'
  | 'queue-full'
  | 'unknown-job'
  | 'unknown-node';

/** The reasoned "no" to a command. */
export interface Rejection {
  readonly kind: 'rejected';
  readonly code: RejectionCode;
  readonly message: string;
  /** The field of the command that it is about. */
  readonly field?: string;
}

/** What comes of a command. */
export type Decision =
  /** No events: it stands already as it was asked for. */
  | { readonly kind: 'accepted'; readonly events: readonly Event[] }
  | Rejection
  /** The job may be one that was forgotten: ask again with a lookup at or after `since` (P23). */
  | { readonly kind: 'look-up'; readonly jobId: JobId; readonly since: number };

/** What the node that told a fact is to hear, once what it was decided on is durable. */
export type FactAnswer =
  | { readonly kind: 'nothing' }
  /** The session stands. `stale`: attempts that the node must stop. */
  | { readonly kind: 'welcome'; readonly stale: readonly ListedAttempt[] }
  /**
   * The session must end. `incarnation-replaced`: another process has this id (P20). `must-say-hello`: what the node holds has
   * to be compared before anything it says can count.
   */
  | { readonly kind: 'refused'; readonly reason: 'incarnation-replaced' | 'must-say-hello' }
  /** The end is recorded; the node may forget the attempt. */
  | { readonly kind: 'release' }
  /** The attempt counts no more; the node must stop it. */
  | { readonly kind: 'stale' };

/** What comes of a fact: its events, none if it is stale or repeated. */
export interface Integration {
  readonly events: readonly Event[];
  readonly answer: FactAnswer;
  /** What would make the decision too large is left to a next one, to be made before any other input (P10). */
  readonly rest?: Fact;
}
