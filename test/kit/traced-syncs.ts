import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** One sync as `strace` saw it. */
export interface Sync {
  /** The name of the file that was synced. */
  readonly file: string;
  readonly hasFailed: boolean;
}

/** Watches every sync of a running process, and makes one of them fail as a broken disk would. */
export class TracedSyncs {
  readonly syncs: Sync[] = [];

  private constructor(
    private readonly strace: ChildProcess,
    private readonly closed: Promise<unknown>,
  ) {}

  /**
   * Resolves once it watches.
   *
   * @param failing the how-manieth sync from now on fails, and no other: the next one would succeed
   */
  static async attach(processId: number, failing: number): Promise<TracedSyncs> {
    const inject = `inject=fsync,fdatasync:error=EIO:when=${failing}`;
    const flags = ['-f', '-y', '-e', 'trace=fsync,fdatasync', '-e', inject, '-p', String(processId)];
    const strace = spawn('strace', flags, { stdio: ['ignore', 'ignore', 'pipe'] });
    const traced = new TracedSyncs(strace, once(strace, 'close'));
    await new Promise<void>((resolve, reject) => {
      strace.once('error', reject);
      strace.once('close', (code) => reject(new Error(`strace has ended with ${String(code)}`)));
      createInterface(strace.stderr).on('line', (line) => {
        if (line.includes('attached')) resolve();
        traced.read(line);
      });
    });
    return traced;
  }

  /** Resolves once the watched process is gone, and with it the watcher. */
  async end(): Promise<readonly Sync[]> {
    await this.closed;
    return this.syncs;
  }

  /** For a test that did not come to its end. */
  stop(): void {
    this.strace.kill('SIGKILL');
  }

  private read(line: string): void {
    const [, file] = /f(?:data)?sync\(\d+<([^>]*)>/.exec(line) ?? [];
    const hasFailed = line.includes('(INJECTED)');
    if (file !== undefined) this.syncs.push({ file, hasFailed });
    // A line that was interrupted by another ends later, in a line of its own.
    const begun = line.includes('sync resumed>') ? this.syncs.pop() : undefined;
    if (begun) this.syncs.push({ ...begun, hasFailed });
  }
}
