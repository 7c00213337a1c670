import type { Incarnation, JobId, NodeId, Submitter } from '../../src/core/ids.js';
import type { CancelJob, SubmitJob } from '../../src/core/tracker/command.js';
import type { NodeSaidHello } from '../../src/core/tracker/fact.js';

const by = { submitter: 'ada' as Submitter, role: 'submitter' } as const;

/** A job of size 1 of the kind `report`, unless it says otherwise. */
export const submit = (id: string, fields: Partial<SubmitJob> = {}): SubmitJob => ({
  type: 'SubmitJob',
  by,
  jobId: id as JobId,
  contentHash: `content of ${id}`,
  kind: 'report',
  size: 1,
  priority: 0,
  ...fields,
});

export const cancel = (id: string): CancelJob => ({
  type: 'CancelJob',
  by,
  jobId: id as JobId,
  reason: 'not needed any more',
});

/** A node of capacity 8 that runs the kind `report`, unless it says otherwise. */
export const hello = (id: string, fields: Partial<NodeSaidHello> = {}): NodeSaidHello => ({
  type: 'NodeSaidHello',
  nodeId: id as NodeId,
  incarnation: `${id}/1` as Incarnation,
  capacity: 8,
  labels: {},
  kinds: ['report'],
  attempts: [],
  ...fields,
});
