import { afterAll, beforeAll, describe } from '@jest/globals';
import { ClientDriver } from './client-driver.js';
import { connectionStringTo, startEmbeddedStore } from './embedded-store-thread.js';
import { EngineDriver } from './engine-driver.js';
import type { AppendPath, StoreDriver } from './store-driver.js';
import { makeTemporaryDirectory } from './temporary-directory.js';

interface StoreVariant {
  readonly name: string;
  readonly paths: readonly AppendPath[];
  start(): Promise<StoreDriver>;
}

const engine: StoreVariant = {
  name: 'the engine',
  paths: ['direct'],
  start: async () => {
    const directory = await makeTemporaryDirectory();
    return EngineDriver.open(directory.path, () => directory.remove());
  },
};

const embedded: StoreVariant = {
  name: 'the official client at the embedded store',
  paths: ['batch', 'unary'],
  start: async () => {
    const directory = await makeTemporaryDirectory();
    const store = await startEmbeddedStore(directory.path);
    return ClientDriver.connect(connectionStringTo(store.port), async () => {
      await store.stop();
      await directory.remove();
    });
  },
};

const liveConnectionString = process.env['LONGSHORE_TEST_STORE'];

/** A server that runs elsewhere, where one is named. Others may use it at the same time. */
const live: readonly StoreVariant[] =
  liveConnectionString === undefined
    ? []
    : [
        {
          name: 'the official client at the store named by LONGSHORE_TEST_STORE',
          paths: ['batch', 'unary'],
          start: async () => ClientDriver.connect(liveConnectionString),
        },
      ];

/** Asks the same of every way to every store. */
export const describeStore = (
  topic: string,
  tests: (store: () => StoreDriver, paths: readonly AppendPath[]) => void,
): void => {
  describe.each([engine, embedded, ...live].map((variant) => [variant.name, variant] as const))(
    `${topic}: %s`,
    (_, variant) => {
      let driver: StoreDriver | undefined;
      beforeAll(async () => {
        driver = await variant.start();
      });
      afterAll(async () => {
        await driver?.stop();
      });
      tests(() => {
        if (driver === undefined) throw new Error('the store has not started');
        return driver;
      }, variant.paths);
    },
  );
};
