import { onAbort } from './abort-listeners.js';
import { checkTimeout } from './arguments.js';
import { WaitAborted, WaitExpired } from './errors.js';
import type { WaitOptions } from './event-store.js';
import type { Timing } from './timing.js';

interface Limit {
  readonly ms: number;
  readonly reason: () => Error;
}

interface Bounds {
  /** Whatever ends these ends the scope, with the same reason. */
  readonly parents?: readonly AbortSignal[];
  /** The caller's own signal: its reason becomes the cause of a `WaitAborted`. */
  readonly caller?: AbortSignal | undefined;
  readonly limit?: Limit;
}

/**
 * The bounds of one wait: its limit, its caller's signal and whatever else may end it, as one signal.
 *
 * `AbortSignal.any` would do, were it not that on Node 20 it keeps a trace of each combination on long-lived signals:
 * a subscription that resumes for weeks would grow. Here `end` takes every listener back.
 */
export class Scope {
  private readonly controller = new AbortController();
  private readonly releases: (() => void)[] = [];

  constructor(timing: Timing, { parents = [], caller, limit }: Bounds) {
    for (const parent of parents) this.follow(parent, () => parent.reason as Error);
    if (caller) this.follow(caller, () => new WaitAborted('the wait was aborted', { cause: caller.reason }));
    if (limit && !this.signal.aborted) this.limitTo(timing, limit);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: Error): void {
    this.controller.abort(reason);
  }

  /** Must be called once the wait is over, however it ended. */
  end(): void {
    for (const release of this.releases.splice(0)) release();
  }

  private limitTo(timing: Timing, { ms, reason }: Limit): void {
    const onPassed = (): void => {
      this.abort(reason());
    };
    // Timers come a millisecond later at the earliest, and by then something may be sent.
    if (ms === 0) onPassed();
    else if (ms !== Infinity) this.releases.push(timing.after(ms, onPassed));
  }

  private follow(signal: AbortSignal, reason: () => Error): void {
    const end = (): void => {
      this.abort(reason());
    };
    if (signal.aborted) end();
    else this.releases.push(onAbort(signal, end));
  }
}

/**
 * The scope of one call of the port.
 *
 * @throws InvalidArgument if its limit is no time
 */
export const scopeOfCall = (
  timing: Timing,
  options: WaitOptions,
  defaults: { readonly timeoutMs: number; readonly parents?: readonly AbortSignal[] },
): Scope => {
  checkTimeout(options);
  const ms = options.timeoutMs ?? defaults.timeoutMs;
  return new Scope(timing, {
    parents: defaults.parents ?? [],
    caller: options.signal,
    limit: { ms, reason: () => new WaitExpired(`no outcome within ${ms} ms`) },
  });
};

/** Settles as `promise` does, or rejects with the signal's reason as soon as that aborts. */
export const abortable = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> => {
  let release = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const end = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) end();
    else release = onAbort(signal, end);
  });
  // What loses the race may still reject; that is nobody's concern any more.
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    release();
  }
};

/** Resolves after `ms`, or rejects with the signal's reason. */
export const pause = async (timing: Timing, ms: number, signal: AbortSignal): Promise<void> => {
  let cancel = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    cancel = timing.after(ms, resolve);
  });
  try {
    await abortable(passed, signal);
  } finally {
    cancel();
  }
};
