import type { Timing } from '../../src/event-store/timing.js';

interface Pending {
  readonly at: number;
  readonly action: () => void;
}

/** Time that moves only when it is told to, and luck that is always nearly the worst. */
export class VirtualTiming implements Timing {
  readonly #pending = new Set<Pending>();
  #now = 0;

  readonly now = (): number => this.#now;

  readonly luck = (): number => 0.999_999;

  readonly after = (ms: number, action: () => void): (() => void) => {
    const pending = { at: this.#now + ms, action };
    this.#pending.add(pending);
    return () => {
      this.#pending.delete(pending);
    };
  };

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Lets everything happen that waits for no time. */
  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Moves on, from one due action to the next. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await this.settle();
    for (let due = this.#firstUntil(until); due; due = this.#firstUntil(until)) {
      this.#pending.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.action();
      await this.settle();
    }
    this.#now = until;
  }

  #firstUntil(until: number): Pending | undefined {
    return [...this.#pending].filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)[0];
  }
}
