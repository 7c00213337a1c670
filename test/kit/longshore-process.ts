import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ProcessEnd } from './store-process.js';

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Those that have not ended yet. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A command of `longshore` as it is built, in a process of its own. */
export class LongshoreProcess {
  /** Resolves once the process is gone, with all that it said. */
  readonly ended: Promise<ProcessEnd>;
  private readonly child: ReturnType<typeof launch>;
  private readonly lines: AsyncIterator<string>;

  /** @param environment in place of this process's, but for the path */
  constructor(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.child = launch(words, environment);
    this.lines = createInterface(this.child.stdout)[Symbol.asyncIterator]();
    this.ended = endOf(this.child);
  }

  /** Runs it to its end. */
  static async run(
    words: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<ProcessEnd> {
    return endOf(launch(words, environment));
  }

  /** The next line that it prints. */
  async line(): Promise<string> {
    const next: IteratorResult<string, unknown> = await this.lines.next();
    return next.value as string;
  }

  interrupt(): void {
    this.child.kill('SIGINT');
  }

  /** Closes the pipe that it prints to, as `head` does when it has seen enough. */
  hangUp(): void {
    this.child.stdout.destroy();
  }
}

const launch = (words: readonly string[], environment: Readonly<Record<string, string>>) => {
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'pipe'], env });
  running.add(child);
  return child;
};

const endOf = (child: ReturnType<typeof launch>): Promise<ProcessEnd> => {
  const output: string[] = [];
  const errors: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  return new Promise((resolve) => {
    child.once('close', (exitCode, signal) => {
      running.delete(child);
      resolve({ exitCode, signal, output: output.join(''), errors: errors.join('') });
    });
  });
};
