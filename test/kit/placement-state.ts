import type { ClusterId, Incarnation, JobId, NodeId, ServerId, Submitter } from '../../src/core/ids.js';
import type { LiveJob } from '../../src/core/job/job.js';
import type { Labels } from '../../src/core/job/requirement.js';
import { evolve } from '../../src/core/tracker/evolve.js';
import type { Event, JobPlaced } from '../../src/core/tracker/event.js';
import { pumpNext } from '../../src/core/tracker/pump.js';
import { defaultSettings, type Settings } from '../../src/core/tracker/settings.js';
import { TrackerState } from '../../src/core/tracker/state.js';

export interface NodeOffer {
  readonly capacity?: number;
  readonly labels?: Labels;
  readonly kinds?: readonly string[];
}

export interface JobAsked {
  readonly size?: number;
  readonly kind?: string;
  readonly labels?: Labels;
  readonly priority?: number;
  readonly preferredNode?: string;
  readonly estimatedRunMs?: number;
}

const by = 'someone' as Submitter;

/** A cluster made of events alone, in virtual time: as the tracker would have it, without who asks and who reports. */
export class PlacementState {
  readonly state = new TrackerState();
  /** Starts late enough for priorities to be worth time before it. */
  now = 1_000_000_000_000;

  constructor(settings: Partial<Settings> = {}) {
    const at = this.now;
    this.fold({ type: 'ClusterCreated', clusterId: 'cluster' as ClusterId, at });
    this.startTerm(settings);
  }

  startTerm(settings: Partial<Settings> = {}): void {
    this.fold({
      type: 'TermStarted',
      term: this.state.term.number + 1,
      leader: 'server' as ServerId,
      settings: { ...defaultSettings, graceMs: 0, ...settings },
      at: this.now,
    });
  }

  fold(event: Event): void {
    evolve(this.state, event);
  }

  pass(ms: number): this {
    this.now += ms;
    return this;
  }

  join(id: string, offer: NodeOffer = {}): void {
    this.fold({ type: 'NodeJoined', ...this.described(id, offer) });
  }

  hear(id: string, offer: NodeOffer = {}): void {
    this.fold({ type: 'NodeHeard', ...this.described(id, offer) });
  }

  silence(id: string): void {
    this.fold({ type: 'NodeUnreachable', nodeId: id as NodeId, at: this.now });
  }

  lose(id: string): void {
    this.fold({ type: 'NodeLost', nodeId: id as NodeId, at: this.now });
  }

  cordon(id: string): void {
    this.fold({ type: 'NodeCordoned', nodeId: id as NodeId, by, at: this.now });
  }

  drain(id: string): void {
    this.fold({ type: 'NodeDraining', nodeId: id as NodeId, by, at: this.now });
  }

  uncordon(id: string): void {
    this.fold({ type: 'NodeUncordoned', nodeId: id as NodeId, by, at: this.now });
  }

  submit(id: string, { size = 1, kind = 'any', labels, priority = 0, ...asked }: JobAsked = {}): void {
    const { preferredNode, estimatedRunMs } = asked;
    this.fold({
      type: 'JobAccepted',
      jobId: id as JobId,
      submitter: by,
      contentHash: id,
      kind,
      size,
      priority,
      ...(labels && { requiredLabels: labels }),
      ...(preferredNode !== undefined && { preferredNode: preferredNode as NodeId }),
      ...(estimatedRunMs !== undefined && { estimatedRunMs }),
      at: this.now,
    });
  }

  /** The job's attempt ended well. */
  end(id: string): void {
    const attempt = this.job(id).attemptNumber;
    const end = { reason: 'succeeded' } as const;
    this.fold({ type: 'AttemptEnded', jobId: id as JobId, attempt, end, then: 'completed', at: this.now });
  }

  /** The node handed the job back. */
  release(id: string): void {
    const attempt = this.job(id).attemptNumber;
    const end = { reason: 'released' } as const;
    this.fold({ type: 'AttemptEnded', jobId: id as JobId, attempt, end, then: 'pending', at: this.now });
  }

  orphan(nodeId: string, token: number, size: number): void {
    this.fold({
      type: 'AttemptOrphaned',
      jobId: `orphan-${token}` as JobId,
      attempt: 1,
      nodeId: nodeId as NodeId,
      fencingToken: token as JobPlaced['fencingToken'],
      size,
      at: this.now,
    });
  }

  cancel(id: string): void {
    this.fold({ type: 'JobCancelled', jobId: id as JobId, by, reason: 'not needed', at: this.now });
  }

  /** The next decision, folded; undefined once all is quiet. */
  step(): Event | undefined {
    const event = pumpNext(this.state, this.now);
    if (event) this.fold(event);
    return event;
  }

  /** Decides until all is quiet. */
  pump(): Event[] {
    const events: Event[] = [];
    for (let event = this.step(); event; event = this.step()) events.push(event);
    return events;
  }

  /** Decides until all is quiet. @returns what was placed where, in order: `job@node` */
  place(): string[] {
    return this.pump()
      .filter((event) => event.type === 'JobPlaced')
      .map(({ jobId, nodeId }) => `${jobId}@${nodeId}`);
  }

  job(id: string): LiveJob {
    const job = this.state.liveJob(id as JobId);
    if (!job) throw new Error(`job ${id} is not live`);
    return job;
  }

  /** Where the job is placed or runs. */
  whereIs(id: string): string | undefined {
    const { situation } = this.job(id);
    return situation.status === 'pending' ? undefined : situation.attempt.nodeId;
  }

  liveJobs(): LiveJob[] {
    return [...this.state.jobs.keys()].map((id) => this.state.liveJob(id)).filter((job) => job !== undefined);
  }

  waitingJobs(): LiveJob[] {
    return this.liveJobs().filter(({ situation }) => situation.status === 'pending');
  }

  private described(id: string, { capacity = 8, labels = {}, kinds = ['any'] }: NodeOffer) {
    const incarnation = `${id}-1` as Incarnation;
    return { nodeId: id as NodeId, incarnation, capacity, labels, kinds, at: this.now };
  }
}
