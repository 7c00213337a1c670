import type { Command } from '../core/tracker/command.js';
import type { Fact } from '../core/tracker/fact.js';
import { copyOf } from '../core/tracker/copy-of.js';
import type { EffectiveTime } from '../leadership/effective-time.js';
import type { Commits } from './commits.js';
import type { Deciding } from './deciding.js';
import type { DurableFold } from './durable-fold.js';
import type { TrackerOptions } from './tracker-options.js';

/** Ticks for which nothing is placed after the pump broke an invariant: it would break it again. */
const pumpPauseTicks = 60;

interface PoisoningOptions extends Pick<TrackerOptions, 'quarantine' | 'log'> {
  readonly deciding: Deciding;
  readonly durable: DurableFold;
  readonly commits: Commits;
  readonly time: EffectiveTime;
}

/**
 * What happens to an input that breaks an invariant (P6). The speculative state, which it may have changed in part, is dropped;
 * what was decided before it is stored, and then decisions go on from the durable state.
 */
export class Poisoning {
  private isBegun = false;
  private pumpPause = 0;

  constructor(private readonly options: PoisoningOptions) {}

  get isPoisoned(): boolean {
    return this.isBegun;
  }

  get isPumpPaused(): boolean {
    return this.pumpPause > 0;
  }

  begin(of: { readonly id: string; readonly input?: Command | Fact }, error: unknown): void {
    const { deciding, time, quarantine, log } = this.options;
    this.isBegun = true;
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    log({
      level: 'warn',
      message: `${of.id} broke an invariant and is quarantined: ${message}`,
      cause: error,
    });
    const kept = quarantine.keep({
      ...of,
      revision: deciding.state.revision,
      at: time.now(),
      error: { message, ...(stack !== undefined && { stack }) },
    });
    kept.catch((cause: unknown) => {
      log({ level: 'warn', message: `${of.id} could not be kept in quarantine`, cause });
    });
  }

  /** Goes on from the durable state once everything decided before is in it. */
  isCured(): boolean {
    if (!this.isBegun) return true;
    const { deciding, durable, commits } = this.options;
    if (!commits.isIdle || durable.isHeldStill) return false;
    deciding.restart(copyOf(durable.state), durable.hash);
    this.isBegun = false;
    return true;
  }

  pausePump(): void {
    this.pumpPause = pumpPauseTicks;
  }

  tick(): void {
    if (this.pumpPause > 0) this.pumpPause -= 1;
  }
}
