import type { AttemptEnd } from '../../core/job/attempt.js';
import type { Event } from '../../core/tracker/event.js';

/** What happened, in a few words beside the name of the event and what it is about. */
export const summaryOf = (event: Event): string => {
  switch (event.type) {
    case 'ClusterCreated':
      return '';
    case 'TermStarted':
      return `term ${event.term} led by ${event.leader}, policy ${event.settings.policy}`;
    case 'TermEnded':
      return `term ${event.term}`;
    case 'ClockStepped':
      return `by ${event.byMs} ms`;
    case 'JobAccepted':
      return `${event.kind}, size ${event.size}, priority ${event.priority}, from ${event.submitter}`;
    case 'JobBound':
    case 'ReservationFixed':
      return `to ${event.nodeId}`;
    case 'JobPlaced':
      return placed(event);
    case 'AttemptStarted':
    case 'AttemptStopping':
    case 'CheckpointSaved':
      return `attempt ${event.attempt}`;
    case 'ProgressReported':
      return `attempt ${event.attempt}, ${event.done}${of(event.total)}${because(event.message)}`;
    case 'AttemptEnded':
      return `attempt ${event.attempt} ${ending(event.end)}, the job is ${event.then}`;
    case 'CancelRequested':
    case 'JobCancelled':
      return `by ${event.by}${because(event.reason)}`;
    case 'JobsForgotten':
      return `${event.count}, finished up to revision ${event.finishedUpTo}`;
    case 'NodeJoined':
    case 'NodeHeard':
    case 'NodeReplaced':
      return `incarnation ${event.incarnation}, capacity ${event.capacity}`;
    case 'NodeUnreachable':
    case 'NodeLost':
    case 'NodeLeft':
      return '';
    case 'NodesForgotten':
      return event.nodeIds.join(', ');
    case 'NodeCordoned':
    case 'NodeDraining':
      return `by ${event.by}${because(event.reason)}`;
    case 'NodeUncordoned':
      return `by ${event.by}`;
    case 'AttemptOrphaned':
      return `attempt ${event.attempt} on ${event.nodeId}, size ${event.size}`;
    case 'LateReportRecorded':
      return `attempt ${event.attempt} on ${event.nodeId} ${ending(event.end)}`;
  }
};

const placed = ({ nodeId, attempt, reason, ended }: Extract<Event, { type: 'JobPlaced' }>): string => {
  const { rule, load, capacity } = reason;
  const before = ended === undefined ? '' : ', the attempt before is lost';
  return `on ${nodeId}, attempt ${attempt}, ${rule}, ${load} of ${capacity} taken before${before}`;
};

const ending = (end: AttemptEnd): string =>
  `${end.reason}${because('error' in end ? end.error.message : undefined)}`;

const of = (total: number | undefined): string => (total === undefined ? '' : ` of ${total}`);
const because = (words: string | undefined): string =>
  words === undefined || words === '' ? '' : `: ${words}`;
