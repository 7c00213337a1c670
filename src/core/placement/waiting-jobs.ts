import type { NodeId } from '../ids.js';
import { invariant } from '../invariant.js';
import type { LiveJob } from '../job/job.js';
import type { Requirement } from '../job/requirement.js';
import { ExactSum } from './exact-sum.js';
import { OrderedTree } from './ordered-tree.js';
import { compareWaiting } from './waiting-rank.js';

/** Jobs in the order of waiting, from which the first of at most some size is found at once. */
export type WaitingQueue = OrderedTree<LiveJob>;

/** The jobs that wait for whichever node meets their requirement. Never empty. */
export interface OpenQueue {
  readonly requirement: Requirement;
  readonly jobs: WaitingQueue;
}

/** The jobs that wait for one node (policy `early-binding`). Never empty. */
interface NodeQueue {
  readonly jobs: WaitingQueue;
  readonly size: ExactSum;
}

const sizeOf = ({ size }: LiveJob): number => size;
const emptyQueue = (): WaitingQueue => new OrderedTree(compareWaiting, sizeOf);

/**
 * The pending jobs in their order: a queue for each requirement, so that what some jobs wait for keeps no others, and a queue
 * for each node to which jobs are bound. What a queue is by, and where in it a job is, must not change while the job is in.
 */
export class WaitingJobs {
  private readonly openQueues = new Map<string, OpenQueue>();
  private readonly nodeQueues = new Map<NodeId, NodeQueue>();
  private readonly size = new ExactSum();
  private jobCount = 0;

  get count(): number {
    return this.jobCount;
  }

  /** Of all waiting jobs; above 2^53 the nearest number there is. */
  get totalSize(): number {
    return this.size.value;
  }

  /** One for each requirement of a job that is not bound. In no particular order. */
  get open(): Iterable<OpenQueue> {
    return this.openQueues.values();
  }

  /** The nodes to which jobs are bound. In no particular order. */
  get boundTo(): Iterable<NodeId> {
    return this.nodeQueues.keys();
  }

  add(job: LiveJob): void {
    if (job.boundTo === undefined) this.openQueueFor(job.requirement).insert(job);
    else this.addBound(job, job.boundTo);
    this.size.add(job.size);
    this.jobCount += 1;
  }

  remove(job: LiveJob): void {
    const wasThere = job.boundTo === undefined ? this.removeOpen(job) : this.removeBound(job, job.boundTo);
    invariant(wasThere, `job ${job.id} is not among the waiting`);
    this.size.subtract(job.size);
    this.jobCount -= 1;
  }

  /** The jobs bound to the node, first to start first. */
  inQueueOf(nodeId: NodeId): LiveJob[] {
    return [...(this.nodeQueues.get(nodeId)?.jobs ?? [])];
  }

  /** The job bound to the node that is to start next. */
  firstInQueueOf(nodeId: NodeId): LiveJob | undefined {
    return this.nodeQueues.get(nodeId)?.jobs.first();
  }

  /** Sum of the sizes of the jobs bound to the node. */
  sizeInQueueOf(nodeId: NodeId): number {
    return this.nodeQueues.get(nodeId)?.size.value ?? 0;
  }

  private openQueueFor(requirement: Requirement): WaitingQueue {
    const known = this.openQueues.get(requirement.key);
    if (known) return known.jobs;
    const jobs = emptyQueue();
    this.openQueues.set(requirement.key, { requirement, jobs });
    return jobs;
  }

  private removeOpen(job: LiveJob): boolean {
    const { key } = job.requirement;
    const queue = this.openQueues.get(key);
    if (!queue?.jobs.remove(job)) return false;
    if (queue.jobs.count === 0) this.openQueues.delete(key);
    return true;
  }

  private addBound(job: LiveJob, nodeId: NodeId): void {
    let queue = this.nodeQueues.get(nodeId);
    if (!queue) {
      queue = { jobs: emptyQueue(), size: new ExactSum() };
      this.nodeQueues.set(nodeId, queue);
    }
    queue.jobs.insert(job);
    queue.size.add(job.size);
  }

  private removeBound(job: LiveJob, nodeId: NodeId): boolean {
    const queue = this.nodeQueues.get(nodeId);
    if (!queue?.jobs.remove(job)) return false;
    queue.size.subtract(job.size);
    if (queue.jobs.count === 0) this.nodeQueues.delete(nodeId);
    return true;
  }
}
