import type { Revision } from '../core/ids.js';
import type { Event } from '../core/tracker/event.js';
import { evolve } from '../core/tracker/evolve.js';
import type { TrackerState } from '../core/tracker/state.js';
import { LogUnusable } from './errors.js';

interface Durable {
  readonly events: readonly Event[];
  readonly hash: string;
}

/**
 * The fold of what is in the log (P5). It can be held still for a while, so that a snapshot of it can be taken without holding
 * up anything else; what becomes durable meanwhile is folded afterwards.
 */
export class DurableFold {
  private held: Durable[] | undefined;
  private whenMoving: (() => void)[] = [];
  private revisionInLog: Revision;

  constructor(
    readonly state: TrackerState,
    /** Of the chain, after the last event folded. */
    private lastHash: string,
  ) {
    this.revisionInLog = state.revision;
  }

  /** Of the last event known to be in the log, folded or not. */
  get revision(): Revision {
    return this.revisionInLog;
  }

  get hash(): string {
    return this.lastHash;
  }

  get isHeldStill(): boolean {
    return this.held !== undefined;
  }

  /** @throws LogUnusable if what is in the log cannot be folded */
  append(durable: Durable): void {
    this.revisionInLog += durable.events.length;
    if (this.held) this.held.push(durable);
    else this.fold(durable);
  }

  /** Runs `action` while state and hash stand still. */
  async holdingStill<T>(action: () => Promise<T>): Promise<T> {
    this.held = [];
    try {
      return await action();
    } finally {
      const { held } = this;
      this.held = undefined;
      for (const durable of held) this.fold(durable);
      for (const resolve of this.whenMoving.splice(0)) resolve();
    }
  }

  /** Resolves once the state has folded all that was in the log when it was asked. */
  async folded(): Promise<void> {
    if (!this.isHeldStill) return;
    await new Promise<void>((resolve) => {
      this.whenMoving.push(resolve);
    });
  }

  private fold({ events, hash }: Durable): void {
    try {
      for (const event of events) evolve(this.state, event);
    } catch (error) {
      throw new LogUnusable(`the log cannot be folded after revision ${this.state.revision}`, {
        cause: error,
      });
    }
    this.lastHash = hash;
  }
}
