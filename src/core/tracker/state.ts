import type { ClusterId, FencingToken, JobId, NodeId, Revision, ServerId } from '../ids.js';
import type { Instant } from '../instant.js';
import { isLive, type Job, type LiveJob } from '../job/job.js';
import { Requirements } from '../job/requirements.js';
import type { Node } from '../node/node.js';
import { NodeIndex } from '../placement/node-index.js';
import { WaitingJobs } from '../placement/waiting-jobs.js';
import { FinishedJobs } from './finished-jobs.js';
import { defaultSettings, type Settings } from './settings.js';

/** A leadership, as the log knows it. */
export interface Term {
  /** 0 before the first. */
  readonly number: number;
  readonly leader: ServerId | undefined;
  readonly startedAt: Instant;
  /** False once its leader resigned. */
  readonly isOpen: boolean;
}

/**
 * Everything that is decided on: the fold of the tracker's stream, and of nothing else. `evolve` alone changes it. The
 * indices say nothing that jobs and nodes do not say; they are there so that a decision need not look at all of them.
 */
export class TrackerState {
  /** Of the last event folded; -1 before the first. */
  revision: Revision = -1;
  /** Of the last event folded. Never decreases. */
  at: Instant = 0;
  clusterId: ClusterId | undefined;
  term: Term = { number: 0, leader: undefined, startedAt: 0, isOpen: false };
  settings: Settings = defaultSettings;
  /** Of the newest attempt there is; the next has one more (P18). */
  lastFencingToken = 0 as FencingToken;
  /** Of the last JobsForgotten; -1 if there was none. */
  forgottenRevision: Revision = -1;

  readonly jobs = new Map<JobId, Job>();
  readonly nodes = new Map<NodeId, Node>();
  /** Fixed reservations (P25). */
  readonly fixedReservations = new Map<NodeId, JobId>();

  readonly requirements = new Requirements();
  /** The pending jobs, in their order. */
  readonly waiting = new WaitingJobs();
  /** The nodes that may get jobs, by what they offer and how much of it is taken. */
  readonly placeable = new NodeIndex();
  /** The finished jobs, oldest end first. */
  readonly finished = new FinishedJobs();

  liveJob(id: JobId): LiveJob | undefined {
    const job = this.jobs.get(id);
    return job && isLive(job) ? job : undefined;
  }
}
