import { Option, type Command } from 'commander';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileNames } from '../../embedded-store/data-directory.js';
import { EmbeddedStore, StoreStartFailed } from '../../embedded-store/embedded-store.js';
import { EventStoreClient } from '../../event-store/event-store-client.js';
import type { EventStore } from '../../event-store/event-store.js';

/** Where the log is, as the flags say. */
export interface LocationFlags {
  readonly store?: string;
  readonly data?: string;
}

/** How long the store may take over one page before the command gives up, in milliseconds. */
const timeoutMs = 10_000;

/** The command, with the flags that say where the log is. */
export const withLocation = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--store <url>',
        'connection string of the store, such as esdb://127.0.0.1:2113?tls=false',
      ).env('LONGSHORE_STORE'),
    )
    .option('--data <directory>', 'the directory of an embedded store, whether it is running or not');

/** A store to read from. */
export interface OpenLog {
  readonly store: EventStore;
  /** As a person would name it, without credentials. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Opens what the flags name. The directory counts more than the environment, since somebody has just typed it.
 *
 * @throws Error that says what to do
 */
export const openLog = async (command: Command): Promise<OpenLog> => {
  const { store: url, data } = command.opts<LocationFlags>();
  const isTyped = command.getOptionValueSource('store') === 'cli';
  if (data !== undefined && isTyped) throw new Error('--store and --data are two places; name one of them');
  if (data !== undefined) return openDirectory(data);
  if (url !== undefined && url !== '') return connected(url, withoutCredentials(url));
  throw new Error('say where the events are: --store URL (or LONGSHORE_STORE), or --data DIRECTORY');
};

const withoutCredentials = (url: string): string => url.replace(/\/\/[^@/]*@/u, '//');

const connected = (place: Parameters<typeof EventStoreClient.connect>[0], address: string): OpenLog => {
  const store = EventStoreClient.connect(place, { timeoutMs });
  return { store, address, close: () => store.close() };
};

/** A store that starts makes what it does not find, and whoever looks into the past must not begin an empty one by it. */
const openDirectory = async (directory: string): Promise<OpenLog> => {
  const path = resolve(directory);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`there is no directory ${path}`);
  if (!existsSync(join(path, fileNames.log))) {
    throw new Error(`there is no store in ${path}: it has no ${fileNames.log}`);
  }
  try {
    return await startedIn(path);
  } catch (error) {
    if (error instanceof StoreStartFailed && error.name === 'DirectoryInUse') return runningIn(path, error);
    throw error;
  }
};

const startedIn = async (path: string): Promise<OpenLog> => {
  const thread = await EmbeddedStore.start({ dataDirectory: path });
  const log = connected({ socketPath: thread.socketPath }, path);
  return {
    ...log,
    close: async () => {
      await log.close();
      await thread.stop();
    },
  };
};

/** Who holds the directory serves it at its socket, if it is of this machine and done with starting. */
const runningIn = (path: string, inUse: StoreStartFailed): OpenLog => {
  const socketPath = join(path, fileNames.socket);
  if (existsSync(socketPath)) return connected({ socketPath }, socketPath);
  throw new Error(
    `${inUse.message}. It does not listen at ${socketPath}: wait until it does, or name its address with --store`,
    { cause: inUse },
  );
};
