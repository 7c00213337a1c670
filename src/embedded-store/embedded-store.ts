import { Worker } from 'node:worker_threads';
import type { StoreServerOptions } from './store-server.js';

export type EmbeddedStoreOptions = Omit<StoreServerOptions, 'onLogFailure'>;

export type StoreThreadMessage =
  | { readonly kind: 'started'; readonly socketPath: string; readonly port: number | undefined }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string };

/**
 * The store could not start. `name` and message are those of the error in its thread.
 *
 * @public
 */
export class StoreStartFailed extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/**
 * The embedded store in a thread of this process.
 *
 * Applications reach it through its socket with the official client, as they reach a cluster: there is no other way in.
 */
export class EmbeddedStore {
  /** Resolves when the thread has ended, with the error if it ended by one. */
  readonly ended: Promise<Error | undefined>;

  private constructor(
    private readonly thread: Worker,
    readonly socketPath: string,
    /** The port it listens at, if it was asked to listen for TCP. */
    readonly port: number | undefined,
    ended: Promise<Error | undefined>,
  ) {
    this.ended = ended;
  }

  /**
   * @throws StoreStartFailed named `DirectoryInUse`, `UnusableFile` or `InvalidRequest`, saying what to do
   */
  static async start(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
    const thread = new Worker(new URL('./store-thread.js', import.meta.url), { workerData: options });
    const ended = endOf(thread);
    const first = await Promise.race([firstMessage(thread), ended]);
    if (first === undefined || first instanceof Error) {
      throw new StoreStartFailed(
        'StoreThreadDied',
        `the store's thread ended at its start: ${String(first)}`,
      );
    }
    if (first.kind === 'failed') {
      await ended;
      throw new StoreStartFailed(first.name, first.message);
    }
    return new EmbeddedStore(thread, first.socketPath, first.port, ended);
  }

  /** Resolves when the file is closed. Stopping twice is fine. */
  async stop(): Promise<void> {
    this.thread.postMessage('stop');
    await this.ended;
  }
}

async function endOf(thread: Worker): Promise<Error | undefined> {
  return new Promise((resolve) => {
    thread.once('error', resolve);
    thread.once('exit', () => resolve(undefined));
  });
}

async function firstMessage(thread: Worker): Promise<StoreThreadMessage> {
  return new Promise((resolve) => thread.once('message', resolve));
}
