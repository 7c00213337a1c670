import type { Instant } from '../instant.js';
import type { Job } from '../job/job.js';
import type { Node } from '../node/node.js';
import { checkCommand, reject } from './check-command.js';
import type {
  Caller,
  CancelJob,
  Command,
  CordonNode,
  DrainNode,
  Lookup,
  SubmitJob,
  UncordonNode,
} from './command.js';
import type { Decision, Rejection } from './decision.js';
import type { Event, JobAccepted } from './event.js';
import type { TrackerState } from './state.js';

/** What comes of a command at this instant: the events it implies, or the reason why not. Changes nothing. */
export const decide = (state: TrackerState, command: Command, now: Instant): Decision => {
  const problem = checkCommand(command);
  if (problem) return problem;
  switch (command.type) {
    case 'SubmitJob':
      return decideSubmit(state, command, now);
    case 'CancelJob':
      return decideCancel(state, command, now);
    case 'CordonNode':
      return decideCordon(state, command, now);
    case 'UncordonNode':
      return decideUncordon(state, command, now);
    case 'DrainNode':
      return decideDrain(state, command, now);
  }
};

const accept = (...events: readonly Event[]): Decision => ({ kind: 'accepted', events });

const decideSubmit = (state: TrackerState, command: SubmitJob, now: Instant): Decision => {
  const known = knownJob(state, command);
  if (known === 'unknown-yet')
    return { kind: 'look-up', jobId: command.jobId, since: state.forgottenRevision };
  if (known) {
    return known.contentHash === command.contentHash && known.submitter === command.by.submitter
      ? accept()
      : reject('duplicate-job-id', `there is another job with the id ${command.jobId}`, 'id');
  }
  const { waitingJobsMax } = state.settings;
  if (state.waiting.count >= waitingJobsMax) {
    return reject(
      'queue-full',
      `${waitingJobsMax} jobs are waiting, and no more are taken; submit it again later`,
    );
  }
  return accept(accepted(command, now));
};

const accepted = (command: SubmitJob, at: Instant): JobAccepted => {
  const { jobId, contentHash, kind, size, priority, name, preferredNode, estimatedRunMs, payload } = command;
  const { requiredLabels = {}, tags = {} } = command;
  return {
    type: 'JobAccepted',
    jobId,
    submitter: command.by.submitter,
    contentHash,
    kind,
    size,
    priority,
    ...(name !== undefined && { name }),
    ...(Object.keys(requiredLabels).length > 0 && { requiredLabels }),
    ...(preferredNode !== undefined && { preferredNode }),
    ...(estimatedRunMs !== undefined && { estimatedRunMs }),
    ...(command.exclusive === true && { exclusive: true }),
    ...(Object.keys(tags).length > 0 && { tags }),
    ...(payload !== undefined && { payload }),
    at,
  };
};

const decideCancel = (state: TrackerState, command: CancelJob, now: Instant): Decision => {
  const { jobId, by, reason } = command;
  const known = knownJob(state, command);
  if (known === 'unknown-yet') return { kind: 'look-up', jobId, since: state.forgottenRevision };
  if (!known) return reject('unknown-job', `there is no job with the id ${jobId}`, 'id');
  if (known.submitter !== by.submitter && by.role !== 'operator') {
    return reject('not-submitter', `only its submitter or an operator may cancel job ${jobId}`, 'id');
  }
  if (!('situation' in known)) {
    return known.status === 'cancelled'
      ? accept()
      : reject('already-finished', `job ${jobId} has ${known.status} and cannot be cancelled`, 'id');
  }
  const { situation, cancelRequest } = known;
  if (situation.status === 'pending') {
    const ended = situation.inDoubt && ({ ended: 'node-lost' } as const);
    return accept({ type: 'JobCancelled', jobId, by: by.submitter, reason, ...ended, at: now });
  }
  if (cancelRequest) return accept();
  return accept({ type: 'CancelRequested', jobId, by: by.submitter, reason, at: now });
};

const decideCordon = (state: TrackerState, command: CordonNode, now: Instant): Decision => {
  const node = nodeToActOn(state, command);
  if ('kind' in node) return node;
  // A drain forbids new jobs as well, and more.
  return node.cordon === 'none' ? accept({ type: 'NodeCordoned', ...actOf(command), at: now }) : accept();
};

const decideUncordon = (state: TrackerState, command: UncordonNode, now: Instant): Decision => {
  const node = nodeToActOn(state, command);
  if ('kind' in node) return node;
  const { nodeId, by } = command;
  return node.cordon === 'none'
    ? accept()
    : accept({ type: 'NodeUncordoned', nodeId, by: by.submitter, at: now });
};

const decideDrain = (state: TrackerState, command: DrainNode, now: Instant): Decision => {
  const node = nodeToActOn(state, command);
  if ('kind' in node) return node;
  return node.cordon === 'draining' ? accept() : accept({ type: 'NodeDraining', ...actOf(command), at: now });
};

const actOf = ({ nodeId, by, reason }: CordonNode | DrainNode) => ({
  nodeId,
  by: by.submitter,
  ...(reason !== undefined && { reason }),
});

const nodeToActOn = (
  state: TrackerState,
  { nodeId, by }: { readonly nodeId: Node['id']; readonly by: Caller },
): Node | Rejection => {
  if (by.role !== 'operator')
    return reject('not-operator', 'only operators may cordon, uncordon or drain a node');
  return state.nodes.get(nodeId) ?? reject('unknown-node', `there is no node with the id ${nodeId}`, 'id');
};

type Known = Job | NonNullable<Lookup['found']>;

/** The job, from memory or else from the lookup; `unknown-yet` if it may be one that was forgotten since the lookup (P23). */
const knownJob = (
  state: TrackerState,
  { jobId, lookup }: SubmitJob | CancelJob,
): Known | 'unknown-yet' | undefined => {
  const job = state.jobs.get(jobId);
  if (job) return job;
  if (state.forgottenRevision >= 0 && (lookup === undefined || lookup.at < state.forgottenRevision)) {
    return 'unknown-yet';
  }
  return lookup?.found;
};
