import type { FencingToken, JobId, NodeId } from '../../src/core/ids.js';
import type { AttemptEnd } from '../../src/core/job/attempt.js';
import type { Event } from '../../src/core/tracker/event.js';

type PatternOf<E> = E extends Event ? Partial<E> & Pick<E, 'type'> : never;

/**
 * An event of which only what matters is said. As something given, it is completed from the state; as something expected, it
 * stands for every event that has these fields.
 */
export type EventPattern = PatternOf<Event>;

type Fields<T extends Event['type']> = Partial<Omit<Extract<Event, { type: T }>, 'type'>>;

const ofJob =
  <T extends Event['type']>(type: T) =>
  (id: string, fields: Fields<T> = {}): EventPattern =>
    ({ type, jobId: id as JobId, ...fields }) as EventPattern;

const ofNode =
  <T extends Event['type']>(type: T) =>
  (id: string, fields: Fields<T> = {}): EventPattern =>
    ({ type, nodeId: id as NodeId, ...fields }) as EventPattern;

export const jobAccepted = ofJob('JobAccepted');
export const jobBound = (id: string, nodeId: string): EventPattern =>
  ofJob('JobBound')(id, { nodeId: nodeId as NodeId });
export const jobPlaced = (id: string, nodeId: string, fields: Fields<'JobPlaced'> = {}): EventPattern =>
  ofJob('JobPlaced')(id, { nodeId: nodeId as NodeId, ...fields });
export const attemptStarted = ofJob('AttemptStarted');
export const attemptStopping = ofJob('AttemptStopping');
export const progressReported = ofJob('ProgressReported');
export const checkpointSaved = ofJob('CheckpointSaved');
export const cancelRequested = ofJob('CancelRequested');
export const jobCancelled = ofJob('JobCancelled');

/** The attempt succeeded and its job is completed, unless it says otherwise. */
export const attemptEnded = (
  id: string,
  reason: AttemptEnd['reason'] = 'succeeded',
  then: Extract<Event, { type: 'AttemptEnded' }>['then'] = 'completed',
): EventPattern => ofJob('AttemptEnded')(id, { end: { reason } as AttemptEnd, then });

export const lateReportRecorded = (id: string, nodeId: string, reason: AttemptEnd['reason']): EventPattern =>
  ofJob('LateReportRecorded')(id, { nodeId: nodeId as NodeId, end: { reason } as AttemptEnd });

export const attemptOrphaned = (id: string, nodeId: string, token = 1): EventPattern =>
  ofJob('AttemptOrphaned')(id, { nodeId: nodeId as NodeId, fencingToken: token as FencingToken });

export const nodeJoined = ofNode('NodeJoined');
export const nodeHeard = ofNode('NodeHeard');
export const nodeReplaced = ofNode('NodeReplaced');
export const nodeUnreachable = ofNode('NodeUnreachable');
export const nodeLost = ofNode('NodeLost');
export const nodeLeft = ofNode('NodeLeft');
export const nodeCordoned = ofNode('NodeCordoned');
export const nodeUncordoned = ofNode('NodeUncordoned');
export const nodeDraining = ofNode('NodeDraining');
