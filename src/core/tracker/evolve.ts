import { invariant } from '../invariant.js';
import type { Event } from './event.js';
import {
  onAttemptEnded,
  onAttemptStarted,
  onAttemptStopping,
  onCancelRequested,
  onCheckpointSaved,
  onJobAccepted,
  onJobBound,
  onJobCancelled,
  onJobPlaced,
  onJobsForgotten,
  onProgressReported,
  onReservationFixed,
} from './evolve-jobs.js';
import {
  onAttemptOrphaned,
  onCordonChanged,
  onLateReportRecorded,
  onNodeHeard,
  onNodeJoined,
  onNodeLeft,
  onNodeLost,
  onNodeReplaced,
  onNodesForgotten,
  onNodeUnreachable,
} from './evolve-nodes.js';
import { onTermEnded, onTermStarted } from './evolve-terms.js';
import type { TrackerState } from './state.js';

/**
 * Folds one event into the state, which it owns and changes in place. It decides nothing and looks at no clock; an event that
 * cannot be folded breaks an invariant (P6), and the state is then of no more use.
 *
 * @throws InvariantBroken
 */
export const evolve = (state: TrackerState, event: Event): void => {
  invariant(event.at >= state.at, `${event.type} at ${event.at} follows an event at ${state.at}`);
  invariant(
    state.term.isOpen || state.term.number === 0 || event.type === 'TermStarted',
    `${event.type} follows the end of term ${state.term.number}`,
  );
  state.revision += 1;
  state.at = event.at;
  apply(state, event);
};

const apply = (state: TrackerState, event: Event): void => {
  switch (event.type) {
    case 'ClusterCreated':
      invariant(state.revision === 0, 'ClusterCreated is the first event or none');
      state.clusterId = event.clusterId;
      return;
    case 'TermStarted':
      return onTermStarted(state, event);
    case 'TermEnded':
      return onTermEnded(state, event);
    case 'ClockStepped':
      return;
    case 'JobAccepted':
      return onJobAccepted(state, event);
    case 'JobBound':
      return onJobBound(state, event);
    case 'JobPlaced':
      return onJobPlaced(state, event);
    case 'ReservationFixed':
      return onReservationFixed(state, event);
    case 'AttemptStarted':
      return onAttemptStarted(state, event);
    case 'AttemptStopping':
      return onAttemptStopping(state, event);
    case 'ProgressReported':
      return onProgressReported(state, event);
    case 'CheckpointSaved':
      return onCheckpointSaved(state, event);
    case 'AttemptEnded':
      return onAttemptEnded(state, event);
    case 'CancelRequested':
      return onCancelRequested(state, event);
    case 'JobCancelled':
      return onJobCancelled(state, event);
    case 'JobsForgotten':
      return onJobsForgotten(state, event);
    case 'NodeJoined':
      return onNodeJoined(state, event);
    case 'NodeHeard':
      return onNodeHeard(state, event);
    case 'NodeReplaced':
      return onNodeReplaced(state, event);
    case 'NodeUnreachable':
      return onNodeUnreachable(state, event);
    case 'NodeLost':
      return onNodeLost(state, event);
    case 'NodeLeft':
      return onNodeLeft(state, event);
    case 'NodesForgotten':
      return onNodesForgotten(state, event);
    case 'NodeCordoned':
      return onCordonChanged(state, event, 'cordoned');
    case 'NodeDraining':
      return onCordonChanged(state, event, 'draining');
    case 'NodeUncordoned':
      return onCordonChanged(state, event, 'none');
    case 'AttemptOrphaned':
      return onAttemptOrphaned(state, event);
    case 'LateReportRecorded':
      return onLateReportRecorded(state, event);
  }
};
