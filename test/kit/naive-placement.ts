import type { Instant } from '../../src/core/instant.js';
import type { LiveJob } from '../../src/core/job/job.js';
import { meets, type Requirement } from '../../src/core/job/requirement.js';
import { limits } from '../../src/core/limits.js';
import { heldBy, type Node } from '../../src/core/node/node.js';
import type { PlacementReason } from '../../src/core/placement/placement-reason.js';
import type { TrackerState } from '../../src/core/tracker/state.js';

/** What is to be done next. */
export interface NaiveStep {
  readonly type: 'JobPlaced' | 'ReservationFixed';
  readonly jobId: string;
  readonly nodeId: string;
  readonly rule?: PlacementReason['rule'];
  readonly candidateCount?: number;
}

const byId = (one: { readonly id: string }, other: { readonly id: string }): number =>
  one.id < other.id ? -1 : one.id > other.id ? 1 : 0;

const inOrder = (one: LiveJob, other: LiveJob): number =>
  one.rank - other.rank || one.submittedAt - other.submittedAt || byId(one, other);

const freeOf = (node: Node): number => node.capacity - heldBy(node);

const isEligible = (node: Node): boolean =>
  node.status === 'ready' &&
  node.cordon === 'none' &&
  node.attempts.size + node.orphans.size < limits.attemptsPerNodeMax;

/** The rules of late binding told straight, by looking at all jobs and all nodes: what the product must agree with. */
export class NaiveLateBinding {
  readonly reservations: Map<string, string>;
  private readonly poolsWithReservation = new Set<string>();
  private readonly nodes: readonly Node[];

  constructor(
    private readonly state: TrackerState,
    private readonly now: Instant,
  ) {
    this.reservations = new Map(state.fixedReservations);
    this.nodes = [...state.nodes.values()].sort(byId);
  }

  next(): NaiveStep | undefined {
    const jobs = this.waiting();
    const due = jobs.map((job) => this.onFixedNode(job)).find((step) => step !== undefined);
    if (due) return due;
    for (const job of jobs) {
      const step = this.placed(job) ?? this.reserved(job);
      if (step) return step;
    }
    return undefined;
  }

  private waiting(): LiveJob[] {
    return [...this.state.jobs.keys()]
      .map((id) => this.state.liveJob(id))
      .filter((job) => job?.situation.status === 'pending')
      .filter((job) => job !== undefined)
      .sort(inOrder);
  }

  private onFixedNode(job: LiveJob): NaiveStep | undefined {
    const node = this.fixedNode(job);
    if (!node || freeOf(node) < job.size) return undefined;
    return { type: 'JobPlaced', jobId: job.id, nodeId: node.id, rule: 'reserved', candidateCount: 1 };
  }

  private fixedNode({ id, requirement }: LiveJob): Node | undefined {
    return this.nodes
      .filter((node) => this.state.fixedReservations.get(node.id) === id)
      .find((node) => isEligible(node) && meets(node, requirement));
  }

  private available({ requirement }: LiveJob): Node[] {
    return this.nodes.filter(
      (node) => isEligible(node) && meets(node, requirement) && !this.reservations.has(node.id),
    );
  }

  private placed(job: LiveJob): NaiveStep | undefined {
    const { size, preferredNode } = job;
    const candidates = this.available(job).filter((node) => freeOf(node) >= size);
    const isLess = (one: Node, other: Node): boolean =>
      BigInt(heldBy(one) + size) * BigInt(other.capacity) <
      BigInt(heldBy(other) + size) * BigInt(one.capacity);
    const best = candidates.filter((node) => !candidates.some((other) => isLess(other, node)));
    const first = best[0];
    if (!first) return undefined;
    const chosen = best.find(({ id }) => id === preferredNode) ?? first;
    const rule = chosen === first ? 'least-loaded' : 'preferred';
    const candidateCount = candidates.length;
    return { type: 'JobPlaced', jobId: job.id, nodeId: chosen.id, rule, candidateCount };
  }

  private reserved(job: LiveJob): NaiveStep | undefined {
    const pool = this.poolOf(job.requirement);
    if (this.poolsWithReservation.has(pool)) return undefined;
    const fixed = this.fixedNode(job);
    if (fixed && fixed.capacity >= job.size) {
      this.poolsWithReservation.add(pool);
      return undefined;
    }
    const able = this.available(job).filter(({ capacity }) => capacity >= job.size);
    const node = able.sort(
      (one, other) => freeOf(other) - freeOf(one) || one.newestToken - other.newestToken,
    )[0];
    if (!node) return this.oversized(job, pool);
    this.hold(node, job, pool);
    if (!this.hasWaitedLong(job)) return undefined;
    const others = [...this.state.fixedReservations.values()].map((id) => this.state.liveJob(id));
    const isFixedBefore = others.some((other) => other && this.poolOf(other.requirement) === pool);
    return isFixedBefore ? undefined : { type: 'ReservationFixed', jobId: job.id, nodeId: node.id };
  }

  private oversized(job: LiveJob, pool: string): NaiveStep | undefined {
    const counted = this.meeting(job.requirement).filter((node) => this.countsUntil(node) > this.now);
    const capacityMax = Math.max(-1, ...counted.map(({ capacity }) => capacity));
    if (job.size <= capacityMax) return undefined;
    const node = this.available(job)
      .filter(({ capacity }) => capacity === capacityMax)
      .sort((one, other) => heldBy(one) - heldBy(other) || one.newestToken - other.newestToken)[0];
    if (!node) return undefined;
    this.hold(node, job, pool);
    if (heldBy(node) > 0 || this.now < this.startsAt(job)) return undefined;
    return { type: 'JobPlaced', jobId: job.id, nodeId: node.id, rule: 'oversized', candidateCount: 1 };
  }

  private startsAt(job: LiveJob): Instant {
    const { settings, term } = this.state;
    const stopped = this.meeting(job.requirement)
      .filter(({ capacity }) => capacity >= job.size)
      .map((node) => this.countsUntil(node));
    const changed = this.nodes
      .flatMap(({ former }) => (former ? [former] : []))
      .filter((former) => former.capacity >= job.size && meets(former, job.requirement))
      .map(({ until }) => until);
    const since = Math.max(job.submittedAt, ...stopped, ...changed);
    return Math.max(since + settings.oversizedAfterMs, term.startedAt + settings.graceMs);
  }

  private countsUntil({ cordon, cordonSince, status, statusSince }: Node): Instant {
    return Math.min(
      cordon === 'draining' ? cordonSince : Infinity,
      status === 'ready' ? Infinity : statusSince + this.state.settings.awayNodeCountsMs,
    );
  }

  private hold(node: Node, job: LiveJob, pool: string): void {
    this.reservations.set(node.id, job.id);
    this.poolsWithReservation.add(pool);
  }

  private hasWaitedLong({ submittedAt, estimatedRunMs }: LiveJob): boolean {
    const { reservationFixedAfterMs, reservationFixedAfterMaxMs } = this.state.settings;
    const afterMs = reservationFixedAfterMs + 10 * (estimatedRunMs ?? 0);
    return this.now - submittedAt >= Math.min(afterMs, reservationFixedAfterMaxMs);
  }

  private meeting(requirement: Requirement): Node[] {
    return this.nodes.filter((node) => meets(node, requirement));
  }

  /** Requirements that the same nodes meet have the same pool. */
  private poolOf(requirement: Requirement): string {
    return JSON.stringify(this.meeting(requirement).map(({ id }) => id));
  }
}
