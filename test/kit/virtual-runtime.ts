import type { Runtime } from '../../src/runtime/runtime.js';
import { VirtualTiming } from './virtual-timing.js';

/** The clocks of a process as a test sets them. Ids are counted, so that each run has the same. */
export class VirtualRuntime extends VirtualTiming implements Runtime {
  private idCount = 0;
  private wallOffsetMs = Date.UTC(2026, 0, 1);

  readonly wallNow = (): number => this.now() + this.wallOffsetMs;

  readonly newId = (): string => {
    this.idCount += 1;
    return `00000000-0000-4000-8000-${String(this.idCount).padStart(12, '0')}`;
  };

  readonly turn = async (): Promise<void> => this.settle();

  constructor(
    /** Where counting begins, so that two processes of one test do not make the same ids. */
    firstId = 0,
  ) {
    super();
    this.idCount = firstId;
  }

  /** Turns the wall clock, and nothing else. */
  turnWallClock(byMs: number): void {
    this.wallOffsetMs += byMs;
  }
}
