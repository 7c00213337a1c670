import { randomUUID } from 'node:crypto';
import { systemTiming, type Timing } from '../event-store/timing.js';

/** Clocks, timers, luck and turns of the event loop as arguments, so that a simulation can hold them all. */
export interface Runtime extends Timing {
  /** The wall clock, in milliseconds since 1970. It may jump. */
  readonly wallNow: () => number;
  /** A UUID nobody else has. */
  readonly newId: () => string;
  /** Resolves once whatever else waits for its turn has had it. */
  readonly turn: () => Promise<void>;
}

/** @public for the benchmarks, and for the process that will host the tracker */
export const systemRuntime: Runtime = {
  ...systemTiming,
  wallNow: () => Date.now(),
  newId: () => randomUUID(),
  turn: async () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    }),
};
