import { abortable } from './scope.js';

/** Lets so many through at a time, in the order in which they came. */
export class Gate {
  private freeCount: number;
  private readonly queue = new Set<() => void>();

  constructor(countMax: number) {
    this.freeCount = countMax;
  }

  /** @throws the signal's reason if that aborts before there is room */
  async pass<T>(signal: AbortSignal, action: () => Promise<T>): Promise<T> {
    await this.enter(signal);
    try {
      return await action();
    } finally {
      this.leave();
    }
  }

  private async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.freeCount > 0) {
      this.freeCount -= 1;
      return;
    }
    let admit = (): void => undefined;
    const admitted = new Promise<void>((resolve) => {
      admit = resolve;
    });
    this.queue.add(admit);
    try {
      await abortable(admitted, signal);
    } catch (error) {
      // Who was admitted and left in the same moment makes room for the next.
      if (!this.queue.delete(admit)) this.leave();
      throw error;
    }
  }

  private leave(): void {
    const [next] = this.queue;
    if (next === undefined) {
      this.freeCount += 1;
      return;
    }
    this.queue.delete(next);
    next();
  }
}
