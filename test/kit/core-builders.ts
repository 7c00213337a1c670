import type { FencingToken, Incarnation, JobId, NodeId, Submitter } from '../../src/core/ids.js';
import type { AttemptEnd } from '../../src/core/job/attempt.js';
import type {
  Caller,
  CancelJob,
  CordonNode,
  DrainNode,
  SubmitJob,
  UncordonNode,
} from '../../src/core/tracker/command.js';
import type {
  AttemptReported,
  ListedAttempt,
  NodeFellSilent,
  NodeReturned,
  NodeSaidGoodbye,
  NodeSaidHello,
  Report,
} from '../../src/core/tracker/fact.js';

export const submitter = (name: string): Caller => ({ submitter: name as Submitter, role: 'submitter' });

export const operator: Caller = { submitter: 'olga' as Submitter, role: 'operator' };

/** A job of size 1 of the kind `report`, unless it says otherwise. */
export const submit = (id: string, fields: Partial<SubmitJob> = {}): SubmitJob => ({
  type: 'SubmitJob',
  by: submitter('ada'),
  jobId: id as JobId,
  contentHash: `content of ${id}`,
  kind: 'report',
  size: 1,
  priority: 0,
  ...fields,
});

export const cancel = (id: string, fields: Partial<CancelJob> = {}): CancelJob => ({
  type: 'CancelJob',
  by: submitter('ada'),
  jobId: id as JobId,
  reason: 'not needed any more',
  ...fields,
});

export const cordon = (id: string, by = operator): CordonNode => ({
  type: 'CordonNode',
  by,
  nodeId: id as NodeId,
});

export const uncordon = (id: string, by = operator): UncordonNode => ({
  type: 'UncordonNode',
  by,
  nodeId: id as NodeId,
});

export const drain = (id: string, by = operator): DrainNode => ({
  type: 'DrainNode',
  by,
  nodeId: id as NodeId,
});

/** Of the n-th process of the node. */
export const incarnation = (id: string, number = 1): Incarnation => `${id}/${number}` as Incarnation;

/** The first process of a node of capacity 8 that runs the kind `report` and holds nothing, unless it says otherwise. */
export const hello = (id: string, fields: Partial<NodeSaidHello> = {}): NodeSaidHello => ({
  type: 'NodeSaidHello',
  nodeId: id as NodeId,
  incarnation: incarnation(id),
  capacity: 8,
  labels: {},
  kinds: ['report'],
  attempts: [],
  ...fields,
});

interface Named {
  readonly attempt?: number;
  readonly token?: number;
}

/** What a hello says of an attempt: that attempt 1, with token 1, is running. */
export const listed = (
  id: string,
  { attempt = 1, token = 1, size = 1, state = 'running' }: Named & Partial<ListedAttempt> = {},
): ListedAttempt => ({ jobId: id as JobId, attempt, fencingToken: token as FencingToken, size, state });

export const silenceOf = (
  id: string,
  judgedAs: NodeFellSilent['judgedAs'] = 'lost',
  process = 1,
): NodeFellSilent => ({
  type: 'NodeFellSilent',
  nodeId: id as NodeId,
  incarnation: incarnation(id, process),
  judgedAs,
});

export const returnOf = (id: string, process = 1): NodeReturned => ({
  type: 'NodeReturned',
  nodeId: id as NodeId,
  incarnation: incarnation(id, process),
});

export const goodbyeOf = (id: string, process = 1): NodeSaidGoodbye => ({
  type: 'NodeSaidGoodbye',
  nodeId: id as NodeId,
  incarnation: incarnation(id, process),
});

/** The first process of `node-a` tells of attempt 1, with token 1, unless it says otherwise. */
export const reported = (
  id: string,
  report: Report,
  { attempt = 1, token = 1, from = 'node-a', process = 1 }: Named & { from?: string; process?: number } = {},
): AttemptReported => ({
  type: 'AttemptReported',
  nodeId: from as NodeId,
  incarnation: incarnation(from, process),
  jobId: id as JobId,
  attempt,
  fencingToken: token as FencingToken,
  report,
});

export const running: Report = { state: 'running' };

export const stopping: Report = { state: 'stopping' };

const error = { message: 'it broke' };

const ends: Readonly<Record<AttemptEnd['reason'], AttemptEnd>> = {
  succeeded: { reason: 'succeeded', result: { rows: 3 } },
  failed: { reason: 'failed', error },
  'timed-out': { reason: 'timed-out', error },
  cancelled: { reason: 'cancelled' },
  released: { reason: 'released' },
  'never-started': { reason: 'never-started' },
  'node-lost': { reason: 'node-lost' },
};

export const ended = (reason: AttemptEnd['reason'] = 'succeeded'): Report => ({
  state: 'ended',
  end: ends[reason],
});
