import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** How a process has ended, and what it had said until then. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

class StoreDidNotStart extends Error {
  constructor(readonly end: ProcessEnd) {
    super(`longshore store has ended: ${end.errors}`);
  }
}

/** Those that have not ended yet. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** `longshore store` as it is built, in a process of its own. */
export class StoreProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    /** Resolves once the process is gone, whatever ended it. */
    readonly ended: Promise<ProcessEnd>,
  ) {}

  /**
   * Resolves once it says that it listens.
   *
   * @param flags besides those for the directory and a free port; the last one of a name counts
   * @throws StoreDidNotStart with what it said
   */
  static async start(dataDirectory: string, flags: readonly string[] = []): Promise<StoreProcess> {
    const { child, listening, ended } = launch(['--data', dataDirectory, '--port', '0', ...flags]);
    const first = await Promise.race([listening, ended]);
    if (typeof first !== 'number') throw new StoreDidNotStart(first);
    return new StoreProcess(child, first, ended);
  }

  /** Runs it to its end, for flags or files with which it must not start. */
  static async refusal(flags: readonly string[]): Promise<ProcessEnd> {
    const { listening, ended } = launch(flags);
    const first = await Promise.race([listening, ended]);
    if (typeof first === 'number') throw new Error('longshore store has started');
    return first;
  }

  /**
   * Starts it, stops it, and kills it on the way at the how-manieth system call of that name, before that is made. Needs
   * `strace`.
   */
  static async killedAt(dataDirectory: string, call: string, ordinal: number): Promise<ProcessEnd> {
    const inject = `inject=${call}:signal=SIGKILL:when=${ordinal}`;
    const watched = ['strace', '-D', '-f', '-o', '/dev/null', '-e', `trace=${call}`, '-e', inject];
    const { child, listening, ended } = launch(['--data', dataDirectory, '--port', '0'], watched);
    await Promise.race([listening, ended]);
    child.kill('SIGTERM');
    return ended;
  }

  /** Kills what a test has left running. */
  static async endAll(): Promise<void> {
    await Promise.all(
      [...running].map(async (child) => {
        const gone = new Promise((resolve) => child.once('close', resolve));
        child.kill('SIGKILL');
        await gone;
      }),
    );
  }

  get processId(): number {
    return this.child.pid ?? 0;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Resolves once the process is gone. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.child.kill(signal);
    await this.ended;
  }

  /** From here on it hears nothing and answers nothing, though its sockets are open. */
  halt(): void {
    this.child.kill('SIGSTOP');
  }
}

function launch(flags: readonly string[], under: readonly string[] = []) {
  const [command = '', ...words] = [...under, process.execPath, program, 'store', ...flags];
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const output: string[] = [];
  const errors: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const ended = new Promise<ProcessEnd>((resolve) => {
    // Not `exit`: what it wrote last may still be on its way then.
    child.once('close', (exitCode, signal) => {
      running.delete(child);
      resolve({ exitCode, signal, output: output.join(''), errors: errors.join('') });
    });
  });
  const listening = new Promise<number>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      const [, port] = /listening on .*:(\d+) and /.exec(line) ?? [];
      if (port !== undefined) resolve(Number(port));
    });
  });
  return { child, listening, ended };
}
