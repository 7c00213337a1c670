import type { JobPlaced } from '../../src/core/tracker/event.js';
import { PlacementState } from './placement-state.js';

interface RunningAttempt {
  readonly jobId: string;
  readonly size: number;
  readonly endsAt: number;
}

/** A cluster in virtual time in which attempts run as long as they are told to, and what is used of it is measured. */
export class VirtualCluster {
  readonly world: PlacementState;
  private readonly startedAt = new Map<string, number>();
  private running: RunningAttempt[] = [];
  private usedMs = 0;
  private measuredSince: number;

  constructor(
    private readonly runMsOf: (jobId: string) => number,
    settings: ConstructorParameters<typeof PlacementState>[0] = {},
  ) {
    this.world = new PlacementState(settings);
    this.measuredSince = this.world.now;
  }

  startOf(jobId: string): number | undefined {
    return this.startedAt.get(jobId);
  }

  /** Starts what can start now. */
  pump(): void {
    for (const event of this.world.pump()) if (event.type === 'JobPlaced') this.start(event);
  }

  /** Lets time pass up to the next end of an attempt, or at most so long. */
  pass(msMax: number): void {
    const { world } = this;
    const next = Math.min(world.now + msMax, ...this.running.map(({ endsAt }) => endsAt));
    this.usedMs += (next - world.now) * this.running.reduce((sum, { size }) => sum + size, 0);
    world.now = next;
    for (const { jobId } of this.running.filter(({ endsAt }) => endsAt <= next)) world.end(jobId);
    this.running = this.running.filter(({ endsAt }) => endsAt > next);
    this.pump();
  }

  measureFromNow(): void {
    this.usedMs = 0;
    this.measuredSince = this.world.now;
  }

  /** Of all capacity, the part used since then on average. */
  get use(): number {
    const capacity = [...this.world.state.nodes.values()].reduce((sum, node) => sum + node.capacity, 0);
    return this.usedMs / (capacity * (this.world.now - this.measuredSince));
  }

  private start({ jobId }: JobPlaced): void {
    const { now } = this.world;
    this.startedAt.set(jobId, now);
    this.running.push({ jobId, size: this.world.job(jobId).size, endsAt: now + this.runMsOf(jobId) });
  }
}
