import { ClientDriver } from './client-driver.js';
import { connectionStringTo } from './embedded-store-thread.js';
import { StoreProcess } from './store-process.js';

export interface RunningStore {
  readonly process: StoreProcess;
  readonly client: ClientDriver;
}

/** Runs `test` on a process of its own and a client of it, and stops both if they still run. */
export const withStore = async <T>(
  dataDirectory: string,
  test: (store: RunningStore) => Promise<T>,
  flags: readonly string[] = [],
): Promise<T> => {
  const process = await StoreProcess.start(dataDirectory, flags);
  const client = ClientDriver.connect(connectionStringTo(process.port));
  try {
    return await test({ process, client });
  } finally {
    await client.stop();
    await process.end('SIGTERM');
  }
};
