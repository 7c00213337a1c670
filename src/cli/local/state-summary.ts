import { isoTime, printable } from './lines.js';
import type { BusyReport, NodeReport, StateReport, WaitingReport } from './state-report.js';

/** Of each list a person is shown so many. */
const shownMax = 50;

/** The state for a person, in lines. Everything is in the JSON document. */
export const describe = (report: StateReport): string => {
  const { revision, at, clusterId, term, settings, nodes, waiting, placed, running, finished } = report;
  const { completed, failed, cancelled, forgotten } = finished;
  return [
    `revision ${revision}, ${isoTime(at)}`,
    `cluster ${name(clusterId ?? 'without an id')}, ${termOf(term)}, policy ${settings.policy}`,
    ...listOf('nodes', nodes, nodeLine),
    ...listOf('waiting, first to start first', waiting, waitingLine),
    ...listOf('placed', placed, busyLine),
    ...listOf('running', running, busyLine),
    `finished: ${completed} completed, ${failed} failed, ${cancelled} cancelled; ${forgotten} more forgotten`,
  ].join('\n');
};

const name = (text: string): string => printable(text, 200);

const termOf = ({ number, leader, startedAt, isOpen }: StateReport['term']): string =>
  number === 0
    ? 'before the first term'
    : `term ${number} ${isOpen ? 'led' : 'ended; it was led'} by ${name(leader ?? 'nobody')} since ${isoTime(startedAt)}`;

const listOf = <T>(title: string, list: readonly T[], lineOf: (each: T) => string): string[] => {
  const lines = list.slice(0, shownMax).map((each) => `  ${lineOf(each)}`);
  const more = list.length - lines.length;
  return [`${title}: ${list.length}`, ...lines, ...(more > 0 ? [`  … and ${more} more`] : [])];
};

const nodeLine = ({ id, status, cordon, held, capacity, attempts, orphans, inDoubt }: NodeReport): string => {
  const words = [
    name(id),
    cordon === 'none' ? status : `${status}, ${cordon}`,
    `${held} of ${capacity} held`,
  ];
  if (attempts.length > 0) words.push(`attempts ${attempts.length}`);
  if (orphans.length > 0) words.push(`orphans ${orphans.length}`);
  if (inDoubt.length > 0) words.push(`in doubt ${inDoubt.length}`);
  return words.join('  ');
};

const waitingLine = (job: WaitingReport): string => {
  const words = [jobWords(job), `since ${isoTime(job.since)}`];
  if (job.inDoubt) words.push(`attempt ${job.inDoubt.attempt} in doubt on ${name(job.inDoubt.nodeId)}`);
  if (job.boundTo !== null) words.push(`bound to ${name(job.boundTo)}`);
  return words.join('  ');
};

const busyLine = ({ attempt, ...job }: BusyReport): string => {
  const words = [jobWords(job), `attempt ${attempt.attempt} on ${name(attempt.nodeId)}`];
  words.push(`since ${isoTime(attempt.startedAt ?? attempt.placedAt)}`);
  if (attempt.stoppingSince !== null) words.push('stopping');
  if (job.cancelRequest) words.push('to be cancelled');
  return words.join('  ');
};

const jobWords = ({
  id,
  kind,
  size,
  priority,
}: Pick<WaitingReport, 'id' | 'kind' | 'size' | 'priority'>): string =>
  `${name(id)}  ${name(kind)}  size ${size}  priority ${priority}`;
