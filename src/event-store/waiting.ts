import { abortable } from './scope.js';

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Those who wait for one thing. A shared promise would do, were it not that it keeps a trace of each wait until it settles, also
 * of those given up: in a long outage they would fill the heap.
 */
export class Waiting<T> {
  private readonly waiters = new Set<Waiter<T>>();

  /** Rejects with the signal's reason if that aborts first. */
  async wait(signal: AbortSignal): Promise<T> {
    let waiter: Waiter<T> | undefined;
    const settled = new Promise<T>((resolve, reject) => {
      waiter = { resolve, reject };
      this.waiters.add(waiter);
    });
    try {
      return await abortable(settled, signal);
    } finally {
      if (waiter) this.waiters.delete(waiter);
    }
  }

  resolve(value: T): void {
    for (const waiter of this.waiters) waiter.resolve(value);
  }

  reject(error: Error): void {
    for (const waiter of this.waiters) waiter.reject(error);
  }
}
