import type { Instant } from '../instant.js';
import type { Attempt } from '../job/attempt.js';
import type { LiveJob } from '../job/job.js';
import type { Node } from '../node/node.js';
import type { FactAnswer, Integration } from './decision.js';
import { endOf } from './ended-attempt.js';
import type { Event, ProgressReported } from './event.js';
import type { AttemptReported, Report } from './fact.js';
import { implies } from './membership.js';
import { isWorthStoring } from './progress.js';
import type { TrackerState } from './state.js';

const refuse = (reason: Extract<FactAnswer, { kind: 'refused' }>['reason']): Integration => ({
  events: [],
  answer: { kind: 'refused', reason },
});

/** What a node tells of an attempt counts if the node owns it; of any other, an end is noted once and changes nothing. */
export const report = (state: TrackerState, fact: AttemptReported, now: Instant): Integration => {
  const node = state.nodes.get(fact.nodeId);
  if (!node) return refuse('must-say-hello');
  if (node.incarnation !== fact.incarnation) return refuse('incarnation-replaced');
  // Its attempts may have been taken for lost: what it holds has to be compared first.
  if (node.status !== 'ready' && node.status !== 'unreachable') return refuse('must-say-hello');
  const attempt = node.attempts.get(fact.fencingToken);
  const job = attempt && state.liveJob(attempt.jobId);
  if (!job || attempt.jobId !== fact.jobId || attempt.number !== fact.attempt) {
    return ofOther(node, fact, now);
  }
  return ofCounting(state, job, attempt, fact.report, now);
};

const ofCounting = (
  state: TrackerState,
  job: LiveJob,
  attempt: Attempt,
  told: Report,
  at: Instant,
): Integration => {
  const of = { jobId: job.id, attempt: attempt.number } as const;
  const started: readonly Event[] =
    attempt.startedAt === undefined ? [{ type: 'AttemptStarted', ...of, at }] : [];
  switch (told.state) {
    case 'running':
      return implies(...started);
    case 'stopping':
      return attempt.stoppingSince === undefined
        ? implies({ type: 'AttemptStopping', ...of, at })
        : implies();
    case 'progressed': {
      if (!isWorthStoring(attempt, told, state.settings, at)) return implies(...started);
      return implies(...started, progress(of, told, at));
    }
    case 'checkpointed':
      return implies(...started, { type: 'CheckpointSaved', ...of, checkpoint: told.checkpoint, at });
    case 'ended':
      return { events: [endOf(job, attempt, told.end, at)], answer: { kind: 'release' } };
  }
};

const progress = (
  of: Pick<ProgressReported, 'jobId' | 'attempt'>,
  { done, total, message }: Extract<Report, { state: 'progressed' }>,
  at: Instant,
): ProgressReported => ({
  type: 'ProgressReported',
  ...of,
  done,
  ...(total !== undefined && { total }),
  ...(message !== undefined && { message }),
  at,
});

/** The attempt does not count (any more). */
const ofOther = (node: Node, fact: AttemptReported, at: Instant): Integration => {
  if (fact.report.state !== 'ended') return { events: [], answer: { kind: 'stale' } };
  const orphan = node.orphans.get(fact.fencingToken);
  if (!orphan) return { events: [], answer: { kind: 'release' } };
  const { jobId, number: attempt, fencingToken } = orphan;
  const { end } = fact.report;
  return {
    events: [{ type: 'LateReportRecorded', jobId, attempt, nodeId: node.id, fencingToken, end, at }],
    answer: { kind: 'release' },
  };
};
