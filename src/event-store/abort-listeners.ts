interface Listeners {
  readonly all: Set<() => void>;
  readonly callAll: () => void;
}

const listenersOf = new WeakMap<AbortSignal, Listeners>();

/**
 * Calls `listener` when the signal aborts; the answer takes it back.
 *
 * A signal looks through all its listeners for each one that is added. Where thousands of calls listen to the same signal, that
 * takes longer than the calls do, so it is given one listener on behalf of all.
 */
export const onAbort = (signal: AbortSignal, listener: () => void): (() => void) => {
  // A function of its own, so that whoever listens twice is called twice.
  const own = (): void => {
    listener();
  };
  const { all, callAll } = listenersOf.get(signal) ?? listenTo(signal);
  all.add(own);
  return () => {
    // The last one leaves nothing behind on a signal that may live for ever.
    if (!all.delete(own) || all.size > 0) return;
    signal.removeEventListener('abort', callAll);
    listenersOf.delete(signal);
  };
};

const listenTo = (signal: AbortSignal): Listeners => {
  const all = new Set<() => void>();
  const callAll = (): void => {
    for (const listener of all) listener();
  };
  const listeners = { all, callAll };
  listenersOf.set(signal, listeners);
  signal.addEventListener('abort', callAll, { once: true });
  return listeners;
};
