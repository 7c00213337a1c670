import type { Timing } from '../../src/event-store/timing.js';

interface Pending {
  readonly at: number;
  readonly action: () => void;
}

/** Time that moves only when it is told to, and luck that is always nearly the worst. */
export class VirtualTiming implements Timing {
  private readonly pending = new Set<Pending>();
  private time = 0;

  readonly now = (): number => this.time;

  readonly luck = (): number => 0.999_999;

  readonly after = (ms: number, action: () => void): (() => void) => {
    const pending = { at: this.time + ms, action };
    this.pending.add(pending);
    return () => {
      this.pending.delete(pending);
    };
  };

  get pendingCount(): number {
    return this.pending.size;
  }

  /** Lets everything happen that waits for no time. */
  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Moves on, from one due action to the next. */
  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    await this.settle();
    for (let due = this.firstUntil(until); due; due = this.firstUntil(until)) {
      this.pending.delete(due);
      this.time = Math.max(this.time, due.at);
      due.action();
      await this.settle();
    }
    this.time = until;
  }

  private firstUntil(until: number): Pending | undefined {
    return [...this.pending].filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)[0];
  }
}
