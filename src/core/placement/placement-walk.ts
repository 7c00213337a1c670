import type { JobId, NodeId } from '../ids.js';
import type { Instant } from '../instant.js';
import type { LiveJob } from '../job/job.js';
import type { JobPlaced, ReservationFixed } from '../tracker/event.js';
import type { TrackerState } from '../tracker/state.js';
import { Heap } from './heap.js';
import { jobPlaced } from './job-placed.js';
import type { FiledNode, NodePool } from './node-pool.js';
import {
  candidateCount,
  largestCapacity,
  largestFreeRoom,
  leastLoaded,
  mostFree,
  type IsTaken,
} from './node-search.js';
import { countedCapacity, oversizedStartsAt, roomiest } from './oversized.js';
import { compareWaiting } from './waiting-rank.js';
import type { WaitingQueue } from './waiting-jobs.js';

/** What the walk knows of a pool so far. */
interface PoolSoFar {
  readonly pool: NodePool;
  /** One of its blocked jobs holds a reservation. */
  hasReservation: boolean;
  /** Largest free room on a node that is not kept for another job. */
  freeMax: number;
  /** How many reservations there were when `freeMax` was looked up. */
  reservationCount: number;
}

/** How far the walk has come in one queue: to the next of its jobs that anything could be done about. */
interface Cursor {
  readonly queue: WaitingQueue;
  readonly of: PoolSoFar;
  job: LiveJob;
}

const isAhead = (one: Cursor, other: Cursor): boolean => compareWaiting(one.job, other.job) < 0;

/**
 * One walk along the waiting jobs of all queues in their one order, up to the first about which something is to be done. It
 * takes every step from the state and the instant alone, reservations included, so it needs no memory between decisions and a
 * replay walks the same way (P10, P19).
 *
 * A job goes to the least loaded node with room. The first blocked job of each pool of nodes holds a reservation: the node on
 * which most is free already takes nothing from jobs behind it, so that it drains. All others of the pool are passed over to the
 * next that is small enough for what is free elsewhere, which the queues find at once. So a walk costs a few steps for each
 * queue, however long the queues are.
 *
 * One reservation for each pool, and not for each requirement: kinds that all nodes run would each keep a node empty. Nothing
 * starves, because the order is constant: whoever is first of all gets the next reservation.
 */
export class PlacementWalk {
  /** Which job a node is kept for, so far. */
  readonly reservations = new Map<NodeId, JobId>();
  private readonly pools = new Map<NodePool, PoolSoFar>();
  private readonly isTaken: IsTaken = ({ id }) => this.reservations.has(id);

  constructor(
    private readonly state: TrackerState,
    private readonly now: Instant,
  ) {
    for (const [nodeId, jobId] of state.fixedReservations) this.reservations.set(nodeId, jobId);
  }

  /** The first thing to be done; nothing once all jobs have been passed, all reservations being made then. */
  next(): JobPlaced | ReservationFixed | undefined {
    const due = this.fixedThatFits();
    if (due) return due;
    const cursors = this.cursors();
    for (let cursor = cursors.first; cursor; cursor = cursors.first) {
      const event = this.consider(cursor);
      if (event) return event;
      const job = this.nextIn(cursor);
      if (job) {
        cursor.job = job;
        cursors.reorderFirst();
      } else {
        cursors.removeFirst();
      }
    }
    return undefined;
  }

  private cursors(): Heap<Cursor> {
    const cursors = new Heap(isAhead);
    let of: PoolSoFar | undefined;
    for (const { requirement, jobs: queue } of this.state.waiting.open) {
      const pool = this.state.placeable.poolOf(requirement);
      const job = pool.hasEligible ? queue.first() : undefined;
      if (!job) continue;
      // Most requirements are met by the same nodes.
      if (of?.pool !== pool) of = this.soFar(pool);
      cursors.add({ queue, of, job });
    }
    return cursors;
  }

  private soFar(pool: NodePool): PoolSoFar {
    const known = this.pools.get(pool);
    if (known) return known;
    const added = { pool, hasReservation: false, freeMax: 0, reservationCount: -1 };
    this.pools.set(pool, added);
    return added;
  }

  private freeMax(of: PoolSoFar): number {
    const { size } = this.reservations;
    if (of.reservationCount !== size) {
      of.freeMax = largestFreeRoom(of.pool, this.isTaken);
      of.reservationCount = size;
    }
    return of.freeMax;
  }

  private consider({ job, of }: Cursor): JobPlaced | ReservationFixed | undefined {
    if (job.size <= this.freeMax(of)) return this.placed(job, of.pool);
    return of.hasReservation ? undefined : this.reserve(job, of);
  }

  /** What cannot be reserved for cannot start either, so a job that is passed over keeps none that is small enough. */
  private nextIn({ queue, of, job }: Cursor): LiveJob | undefined {
    const sizeMax = of.hasReservation ? this.freeMax(of) : largestCapacity(of.pool, this.isTaken);
    return queue.weightMin <= sizeMax ? queue.firstAfter(job, sizeMax) : undefined;
  }

  private placed(job: LiveJob, pool: NodePool): JobPlaced | undefined {
    const { size, preferredNode, requirement } = job;
    const { placeable } = this.state;
    const preferred =
      preferredNode === undefined ? undefined : placeable.eligible(preferredNode, requirement);
    const choice = leastLoaded(pool, size, preferred, this.isTaken);
    if (!choice) return undefined;
    const reason = { rule: choice.rule, candidateCount: this.candidateCount(job, pool) };
    return jobPlaced(this.state, job, choice.node, reason, this.now);
  }

  private candidateCount({ size, requirement }: LiveJob, pool: NodePool): number {
    const taken: FiledNode[] = [];
    for (const id of this.reservations.keys()) {
      const node = this.state.placeable.eligible(id, requirement);
      if (node) taken.push(node);
    }
    return candidateCount(pool, size, taken);
  }

  /** The blocked job gets a reservation, if there is a node to reserve. It may be that it can begin, or be fixed, with that. */
  private reserve(job: LiveJob, of: PoolSoFar): JobPlaced | ReservationFixed | undefined {
    if (this.hasFixedNode(job)) {
      of.hasReservation = true;
      return undefined;
    }
    const node = mostFree(of.pool, job.size, this.isTaken);
    if (!node) return this.reserveOversized(job, of);
    this.hold(node, job, of);
    return this.isToBeFixed(job, of.pool)
      ? { type: 'ReservationFixed', jobId: job.id, nodeId: node.id, at: this.now }
      : undefined;
  }

  private reserveOversized(job: LiveJob, of: PoolSoFar): JobPlaced | undefined {
    const { state, now } = this;
    const counted = countedCapacity(state, of.pool, now);
    if (job.size <= counted) return undefined;
    const node = roomiest(of.pool, counted, this.isTaken);
    if (!node) return undefined;
    this.hold(node, job, of);
    if (node.held > 0 || now < oversizedStartsAt(state, job, of.pool, now)) return undefined;
    return jobPlaced(state, job, node, { rule: 'oversized', candidateCount: 1 }, now);
  }

  private hold(node: FiledNode, job: LiveJob, of: PoolSoFar): void {
    this.reservations.set(node.id, job.id);
    of.hasReservation = true;
  }

  /** A fixed node waits for its job alone, so what is ahead of that job loses nothing if it starts now. */
  private fixedThatFits(): JobPlaced | undefined {
    let first: { readonly job: LiveJob; readonly node: FiledNode } | undefined;
    for (const [nodeId, jobId] of this.state.fixedReservations) {
      const job = this.state.liveJob(jobId);
      const node = job && this.state.placeable.eligible(nodeId, job.requirement);
      if (!node || node.held + job.size > node.capacity) continue;
      if (!first || compareWaiting(job, first.job) < 0) first = { job, node };
    }
    return (
      first && jobPlaced(this.state, first.job, first.node, { rule: 'reserved', candidateCount: 1 }, this.now)
    );
  }

  private hasFixedNode({ id, size, requirement }: LiveJob): boolean {
    for (const [nodeId, jobId] of this.state.fixedReservations) {
      if (jobId !== id) continue;
      const node = this.state.placeable.eligible(nodeId, requirement);
      if (node && node.capacity >= size) return true;
    }
    return false;
  }

  /** It has waited long, and no other has of this pool (P25). */
  private isToBeFixed({ submittedAt, estimatedRunMs = 0 }: LiveJob, pool: NodePool): boolean {
    const { fixedReservations, placeable, settings } = this.state;
    const afterMs = settings.reservationFixedAfterMs + 10 * estimatedRunMs;
    if (this.now - submittedAt < Math.min(afterMs, settings.reservationFixedAfterMaxMs)) return false;
    for (const jobId of fixedReservations.values()) {
      const other = this.state.liveJob(jobId);
      if (other && placeable.poolOf(other.requirement) === pool) return false;
    }
    return true;
  }
}
