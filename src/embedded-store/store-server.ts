import { setMaxListeners } from 'node:events';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { AccessControl, type User } from './access-control.js';
import { DataDirectory, fileNames } from './data-directory.js';
import { Engine } from './engine.js';
import { InvalidRequest, LogFailed } from './errors.js';
import { Listener, type TlsFiles } from './grpc/listener.js';
import type { StoreContext } from './grpc/store-context.js';
import { limits } from './limits.js';

export interface StoreServerOptions {
  /** Made if it does not exist. The store always listens at `store.sock` in it. */
  readonly dataDirectory: string;
  /** Where else it listens; port 0 takes a free one. @default nowhere */
  readonly tcp?: {
    readonly host: string;
    readonly port: number;
    readonly tls?: TlsFiles;
    /** Callers over TCP must be one of them. @default everyone may do everything */
    readonly users?: readonly User[];
  };
  /** Bytes of one append. @default 1 MiB */
  readonly appendBytesMax?: number;
  /** Must end the process without another sync (P29). */
  readonly onLogFailure: (error: Error) => void;
}

/** The store as it runs, in a thread or in a process of its own: directory, engine and sockets. */
export class StoreServer {
  private stopped: Promise<void> | undefined;
  private readonly scavenging: NodeJS.Timeout;

  private constructor(
    private readonly directory: DataDirectory,
    private readonly engine: Engine,
    private readonly listeners: readonly Listener[],
    private readonly stopping: AbortController,
  ) {
    // A round that fails, for instance on a full disk, is made up for by the next.
    const scavenge = () => void engine.scavenge().catch(() => undefined);
    this.scavenging = setInterval(scavenge, limits.scavengeIntervalMs).unref();
  }

  /**
   * @throws DirectoryInUse, UnusableFile or InvalidRequest, with nothing left open
   */
  static async start(options: StoreServerOptions): Promise<StoreServer> {
    if (options.tcp) checkHost(options.tcp);
    checkSocketPath(join(options.dataDirectory, fileNames.socket));
    const directory = DataDirectory.acquire(options.dataDirectory);
    const stopping = new AbortController();
    // Each call listens to it; there is no number of them that would be a leak.
    setMaxListeners(0, stopping.signal);
    const listeners: Listener[] = [];
    let engine: Engine | undefined;
    try {
      engine = new Engine(directory.openLog(), { ...options, now: Date.now });
      for (const start of listenersOf(options, directory, engine, stopping.signal))
        listeners.push(await start());
      directory.sayWhoHolds(addressesOf(directory, options, listeners));
      return new StoreServer(directory, engine, listeners, stopping);
    } catch (error) {
      if (error instanceof LogFailed) options.onLogFailure(error);
      await Promise.all(listeners.map(async (listener) => listener.stop(0)));
      await engine?.close();
      directory.release();
      throw error;
    }
  }

  get socketPath(): string {
    return this.directory.socketPath;
  }

  /** The port it listens at, if it listens for TCP. */
  get port(): number | undefined {
    return this.listeners[1]?.port;
  }

  /** Finishes the appends under way, ends subscriptions, closes the file. Stopping twice is fine. */
  async stop(): Promise<void> {
    this.stopped ??= this.stopOnce();
    await this.stopped;
  }

  private async stopOnce(): Promise<void> {
    clearInterval(this.scavenging);
    this.stopping.abort();
    await Promise.all(this.listeners.map(async (listener) => listener.stop(limits.stopGraceMs)));
    await this.engine.close();
    this.directory.release();
  }
}

function listenersOf(
  { tcp }: StoreServerOptions,
  directory: DataDirectory,
  engine: Engine,
  stopping: AbortSignal,
): readonly (() => Promise<Listener>)[] {
  const contextFor = (access: AccessControl): StoreContext => ({ engine, access, stopping, now: Date.now });
  const path = directory.socketPath;
  // Who can open the socket can read the files as well: a password would protect nothing.
  const local = async () => Listener.start({ kind: 'socket', path }, contextFor(new AccessControl()));
  if (!tcp) return [local];
  const remote = async () =>
    Listener.start({ kind: 'tcp', ...tcp }, contextFor(new AccessControl(tcp.users)));
  return [local, remote];
}

/** Without users everyone who can connect may do everything, so nobody else may be able to connect. */
function checkHost({ host, users }: NonNullable<StoreServerOptions['tcp']>): void {
  if (users || isLoopback(host)) return;
  throw new InvalidRequest(
    `--host ${host} may be reached from other machines; give --users with TLS, or listen on 127.0.0.1`,
  );
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || (isIPv4(host) && host.startsWith('127.')) || host === '::1';

function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= limits.socketPathBytesMax) return;
  throw new InvalidRequest(
    `the path of the socket, ${path}, has ${bytes} bytes and may have ${limits.socketPathBytesMax}; choose a shorter data directory`,
  );
}

function addressesOf(
  directory: DataDirectory,
  { tcp }: StoreServerOptions,
  listeners: readonly Listener[],
): string {
  const remote = tcp && listeners[1] ? [`${tcp.host}:${listeners[1].port}`] : [];
  return [directory.socketPath, ...remote].join(', ');
}
