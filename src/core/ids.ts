/** Named by who submits the job, or made at the edge. At most 200 characters, none of them a control character. */
export type JobId = string & { readonly brand: 'JobId' };

/** Names a node for as long as its operator likes, over restarts. */
export type NodeId = string & { readonly brand: 'NodeId' };

/** Names one start of a node's process: new each time it starts. */
export type Incarnation = string & { readonly brand: 'Incarnation' };

/** Names the log, so that a node never mistakes another cluster for its own (P9). */
export type ClusterId = string & { readonly brand: 'ClusterId' };

/** Names a server process that leads or may lead. */
export type ServerId = string & { readonly brand: 'ServerId' };

/** Who asked. */
export type Submitter = string & { readonly brand: 'Submitter' };

/** One counter per partition, one higher with each placement (P18): it names an attempt, and a higher one is the newer. */
export type FencingToken = number & { readonly brand: 'FencingToken' };

/** Place of an event in the tracker's stream, from 0 without gaps. */
export type Revision = number;
