import { mkdir, appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from '../core/tracker/command.js';
import type { Fact } from '../core/tracker/fact.js';

/** An input that broke an invariant, with what is needed to find out why (P6). */
export interface QuarantinedInput {
  readonly id: string;
  /** Absent if the pump broke it, which needs no input. */
  readonly input?: Command | Fact;
  /** What it was decided on. */
  readonly revision: number;
  readonly at: number;
  readonly error: { readonly message: string; readonly stack?: string };
}

export interface Quarantine {
  keep(input: QuarantinedInput): Promise<void>;
}

/**
 * One line of JSON for each, in `quarantine.jsonl` of the directory.
 *
 * @public for the process that will host the tracker
 */
export class QuarantineFile implements Quarantine {
  constructor(private readonly directory: string) {}

  async keep(input: QuarantinedInput): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    await appendFile(join(this.directory, 'quarantine.jsonl'), `${JSON.stringify(input)}\n`, { mode: 0o600 });
  }
}
