import type { JobId, NodeId } from '../../src/core/ids.js';
import type { Instant } from '../../src/core/instant.js';
import { defaultSettings } from '../../src/core/tracker/settings.js';
import type { Event } from '../../src/core/tracker/event.js';
import type { TrackerState } from '../../src/core/tracker/state.js';
import { cancel, hello, incarnation, operator, submit } from './core-builders.js';
import type { EventPattern } from './event-patterns.js';

/** The event that the pattern means on this state: what it leaves out is what would have been usual. */
export const completed = (state: TrackerState, pattern: EventPattern, at: Instant): Event =>
  ({ at, ...usual(state, pattern), ...pattern }) as Event;

const usual = (state: TrackerState, pattern: EventPattern): object => {
  switch (pattern.type) {
    case 'TermStarted':
      return { term: state.term.number + 1, leader: 'server', settings: defaultSettings };
    case 'TermEnded':
      return { term: state.term.number };
    case 'JobAccepted':
      return usualJob(pattern.jobId ?? '');
    case 'JobPlaced':
      return usualPlacement(state, pattern.jobId);
    case 'AttemptStarted':
    case 'AttemptStopping':
    case 'ProgressReported':
    case 'CheckpointSaved':
    case 'AttemptEnded':
      return { attempt: jobIn(state, pattern.jobId)?.attemptNumber };
    case 'CancelRequested':
    case 'JobCancelled': {
      const { by, reason } = cancel('any');
      return { by: by.submitter, reason };
    }
    case 'NodeJoined':
    case 'NodeHeard':
    case 'NodeReplaced':
      return usualNode(state, pattern);
    case 'NodeCordoned':
    case 'NodeUncordoned':
    case 'NodeDraining':
      return { by: operator.submitter };
    case 'AttemptOrphaned':
      return { attempt: 1, size: 1 };
    case 'ClusterCreated':
    case 'ClockStepped':
    case 'JobBound':
    case 'ReservationFixed':
    case 'JobsForgotten':
    case 'NodeUnreachable':
    case 'NodeLost':
    case 'NodeLeft':
    case 'NodesForgotten':
    case 'LateReportRecorded':
      return {};
  }
};

const jobIn = (state: TrackerState, id: JobId | undefined) =>
  id === undefined ? undefined : state.liveJob(id);

const usualJob = (id: string): object => {
  const { by, contentHash, kind, size, priority } = submit(id);
  return { submitter: by.submitter, contentHash, kind, size, priority };
};

const usualPlacement = (state: TrackerState, id: JobId | undefined): object => {
  const job = jobIn(state, id);
  const isInDoubt = job?.situation.status === 'pending' && job.situation.inDoubt !== undefined;
  return {
    attempt: (job?.attemptNumber ?? 0) + 1,
    fencingToken: state.lastFencingToken + 1,
    reason: { rule: 'least-loaded', load: 0, capacity: 8, candidateCount: 1 },
    ...(isInDoubt && { ended: 'node-lost' }),
  };
};

const usualNode = (
  state: TrackerState,
  { type, nodeId }: { readonly type: string; readonly nodeId?: NodeId },
): object => {
  const known = nodeId === undefined ? undefined : state.nodes.get(nodeId);
  const { capacity, labels, kinds } = known ?? hello('any');
  const processCount = known ? known.replacedIncarnations.length + 1 : 1;
  return {
    incarnation: incarnation(nodeId ?? '', type === 'NodeReplaced' ? processCount + 1 : processCount),
    capacity,
    labels,
    kinds,
  };
};
