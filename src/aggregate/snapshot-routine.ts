import type { Revision } from '../core/ids.js';
import type { DurableFold } from './durable-fold.js';
import { LogUnusable } from './errors.js';
import { Snapshots } from './snapshots.js';
import { snapshotStreamOf } from './streams.js';
import type { TrackerOptions } from './tracker-options.js';

/** A snapshot for so few events would not make a restart quicker. */
const lastAfterEventsMin = 1_000;

/**
 * Events after which a snapshot is taken: so many that it costs little, and so few that they are soon read again.
 *
 * @public for the benchmark of restarts
 */
export const defaultSnapshotAfterEvents = (liveCount: number): number =>
  Math.max(10_000, Math.ceil(liveCount / 10));

/** When snapshots are taken: often enough that a restart is quick, seldom enough that they cost little. */
export class SnapshotRoutine {
  private readonly snapshots: Snapshots;
  private isTaking = false;
  private takenAtMs: number;

  constructor(
    private readonly options: TrackerOptions,
    private readonly durable: DurableFold,
    /** Of the newest snapshot; -1 if there is none. */
    private takenRevision: Revision,
    private readonly events: {
      /** The state moves again. */
      readonly onMoved: () => void;
      readonly onUnusable: (error: LogUnusable) => void;
    },
  ) {
    const { store, partition = '0', runtime, log } = options;
    this.snapshots = new Snapshots({ store, stream: snapshotStreamOf(partition), runtime, log });
    this.takenAtMs = runtime.now();
  }

  takeIfDue(signal: AbortSignal): void {
    const { apartMs = 30_000 } = this.options.snapshots ?? {};
    const sinceMs = this.options.runtime.now() - this.takenAtMs;
    const { jobs, finished } = this.durable.state;
    const liveCount = jobs.size - finished.count;
    const afterEvents = this.options.snapshots?.afterEvents ?? defaultSnapshotAfterEvents(liveCount);
    if (this.isTaking || sinceMs < apartMs || this.newCount < afterEvents) return;
    void this.take(signal);
  }

  /** Before leaving, so that whoever comes next need not read much. */
  async takeLast(signal: AbortSignal): Promise<void> {
    if (!this.isTaking && this.newCount >= lastAfterEventsMin) await this.take(signal);
  }

  private get newCount(): number {
    return this.durable.revision - this.takenRevision;
  }

  /** A snapshot that cannot be taken costs only time at the next start. */
  private async take(signal: AbortSignal): Promise<void> {
    const { runtime, log } = this.options;
    this.isTaking = true;
    this.takenAtMs = runtime.now();
    try {
      await this.durable.holdingStill(async () => {
        const { state, hash } = this.durable;
        const { revision } = state;
        const outcome = await this.snapshots.write({ state, hash }, signal);
        if (outcome.kind === 'written') this.takenRevision = revision;
      });
    } catch (cause) {
      if (cause instanceof LogUnusable) this.events.onUnusable(cause);
      else if (!signal.aborted) log({ level: 'warn', message: 'no snapshot could be taken', cause });
    } finally {
      this.isTaking = false;
      this.events.onMoved();
    }
  }
}
