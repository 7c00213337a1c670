import type { FencingToken, JobId, NodeId, Revision } from '../core/ids.js';

/** Which attempt an order is about, and who gives it. */
interface OfAttempt {
  readonly term: number;
  readonly jobId: JobId;
  readonly attempt: number;
  readonly fencingToken: FencingToken;
}

/** What a node is told to do. */
export type Order =
  | (OfAttempt & {
      readonly kind: 'start';
      /** Of the event that holds the payload. */
      readonly acceptedRevision: Revision;
      /** Of the event that holds the checkpoint to go on from; absent if there is none. */
      readonly checkpointRevision?: Revision;
    })
  | (OfAttempt & { readonly kind: 'stop'; readonly reason: 'cancelled' | 'stale' })
  /** The end is durable: the node may forget the attempt (P14). */
  | (OfAttempt & { readonly kind: 'release' });

/** The way to the nodes. What cannot be delivered is lost: the next hello makes up for it. */
export interface NodeTransport {
  send(nodeId: NodeId, order: Order): void;
}
