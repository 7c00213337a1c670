/**
 * Takes the place of the cluster helper in the official client's tests, under its name and with the members that the tests
 * use. A "cluster" of any size is one process of the embedded store, which has no followers: what needs one fails, and is
 * listed as known to fail.
 *
 * Where the tests take down one of several nodes, they wait for another to lead and go on. This store has no other node; it
 * is meant to be started again by whoever supervises it, and so it is here.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface EndPoint {
  readonly address: string;
  readonly port: number;
}

const startMs = 20_000;
/** As long as Docker waits before it kills. */
const stopMs = 10_000;
/** Long enough for a client to notice that its node is gone, and well within the five seconds that the tests wait. */
const restartMs = 2_000;

/** Settings of the server that the tests change and the store has as well. Others do nothing here. */
const flagOf: Readonly<Record<string, string>> = { EVENTSTORE_MAX_APPEND_SIZE: '--append-bytes-max' };

export class Cluster {
  readonly domain = 'localhost';
  private readonly directory = mkdtempSync(join(given('directory'), 'store-'));
  private readonly flags: string[] = [];
  private store: ChildProcess | undefined;
  /** Kept over a restart, since clients come back to it. */
  private port = 0;
  private restart: NodeJS.Timeout | undefined;

  constructor(
    private readonly nodes: number,
    private readonly isInsecure = false,
  ) {}

  setOption(name: string, value: unknown): this {
    const flag = flagOf[name];
    if (flag !== undefined) this.flags.push(flag, String(value));
    return this;
  }

  get uri(): string {
    return `${this.domain}:${this.port}`;
  }

  get endpoints(): EndPoint[] {
    return [{ address: this.domain, port: this.port }];
  }

  get certPath(): { root: string } {
    return { root: join(given('directory'), 'ca.crt') };
  }

  get certs(): { root: Buffer } {
    return { root: readFileSync(this.certPath.root) };
  }

  // The tests hand these over as plain functions.
  up = async (): Promise<void> => {
    const inGiven = (name: string) => join(given('directory'), name);
    const tls = ['--tls-cert', inGiven('node.crt'), '--tls-key', inGiven('node.key')];
    const security = this.isInsecure ? [] : [...tls, '--users', inGiven('users.json')];
    const address = ['--data', this.directory, '--port', String(this.port)];
    const command = [given('cli'), 'store', ...address, ...security, ...this.flags];
    this.store = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.port = await portOf(this.store);
  };

  down = async (): Promise<void> => {
    clearTimeout(this.restart);
    if (this.store) await stop(this.store);
    rmSync(this.directory, { recursive: true, force: true });
  };

  killNode = async ({ port }: EndPoint): Promise<void> => {
    if (!this.store || port !== this.port) throw new Error(`no node listens at port ${port}`);
    await stop(this.store);
    if (this.nodes > 1) this.restart = setTimeout(() => void this.up(), restartMs);
  };

  resurrect = async (): Promise<void> => {
    clearTimeout(this.restart);
    if (!this.store || hasEnded(this.store)) await this.up();
  };
}

/** What the script that starts the tests hands down. */
function given(name: 'cli' | 'directory'): string {
  const variable = `OFFICIAL_CLIENT_${name.toUpperCase()}`;
  const value = process.env[variable];
  if (value === undefined) throw new Error(`${variable} is not set`);
  return value;
}

async function portOf(store: ChildProcess): Promise<number> {
  if (!store.stdout) throw new Error('the output of the store is not piped');
  const late = setTimeout(() => store.kill('SIGKILL'), startMs);
  try {
    for await (const line of createInterface(store.stdout)) {
      const [, port] = /listening on \S+:(\d+) /.exec(line) ?? [];
      if (port !== undefined) return Number(port);
    }
  } finally {
    clearTimeout(late);
  }
  throw new Error('the store ended before it listened');
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

async function stop(store: ChildProcess): Promise<void> {
  if (hasEnded(store)) return;
  const ended = once(store, 'exit');
  store.kill('SIGTERM');
  const late = setTimeout(() => store.kill('SIGKILL'), stopMs);
  await ended;
  clearTimeout(late);
}
