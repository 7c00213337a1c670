import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import type { EventStore } from '../../src/event-store/event-store.js';
import { EventStoreClient } from '../../src/event-store/event-store-client.js';
import type { Timing } from '../../src/event-store/timing.js';
import { ClientDriver } from './client-driver.js';
import { connectionStringTo, startEmbeddedStore } from './embedded-store-thread.js';
import { EngineDriver } from './engine-driver.js';
import { InProcessEventStore } from './in-process-event-store.js';
import type { StoreDriver } from './store-driver.js';
import { makeTemporaryDirectory } from './temporary-directory.js';

export interface ConnectOptions {
  readonly timing?: Timing;
  /** How many events a subscription hands over at once, at most. */
  readonly batchCountMax?: number;
  /** How long a subscription may be silent before a client looks what stands, in milliseconds. */
  readonly silenceMs?: number;
}

/** A store that runs, ways to it through the port, and another way past the port. */
interface StoreUnderTest {
  readonly driver: StoreDriver;
  connect(options: ConnectOptions): EventStore;
}

interface EventStoreVariant {
  readonly name: string;
  start(): Promise<StoreUnderTest>;
}

const inProcess: EventStoreVariant = {
  name: 'the in-process twin',
  start: async () => {
    const directory = await makeTemporaryDirectory();
    const driver = EngineDriver.open(directory.path, () => directory.remove());
    return { driver, connect: (options) => new InProcessEventStore(driver.engine, options) };
  },
};

const client: EventStoreVariant = {
  name: 'the client at the embedded store',
  start: async () => {
    const directory = await makeTemporaryDirectory();
    const store = await startEmbeddedStore(directory.path);
    const address = connectionStringTo(store.port);
    const driver = ClientDriver.connect(address, async () => {
      await store.stop();
      await directory.remove();
    });
    return {
      driver,
      connect: ({ timing, batchCountMax, silenceMs }) =>
        EventStoreClient.connect(address, {
          ...(timing && { timing }),
          ...(silenceMs !== undefined && { silenceMs }),
          ...(batchCountMax !== undefined && { subscriptionBufferMax: batchCountMax }),
        }),
    };
  },
};

export interface EventStoreAccess {
  /** The port, connected anew and closed after the test. */
  connect(options?: ConnectOptions): EventStore;
  readonly driver: StoreDriver;
}

/** Asks the same of the port's adapter and of its twin. */
export const describeEventStore = (topic: string, tests: (access: EventStoreAccess) => void): void => {
  describe.each([inProcess, client].map((variant) => [variant.name, variant] as const))(
    `${topic}: %s`,
    (_, variant) => {
      let running: StoreUnderTest | undefined;
      const connected: EventStore[] = [];
      const started = (): StoreUnderTest => {
        if (running === undefined) throw new Error('the store has not started');
        return running;
      };
      beforeAll(async () => {
        running = await variant.start();
      });
      afterEach(async () => {
        await Promise.all(connected.splice(0).map((store) => store.close()));
      });
      afterAll(async () => {
        await running?.driver.stop();
      });
      tests({
        connect: (options = {}) => {
          const store = started().connect(options);
          connected.push(store);
          return store;
        },
        get driver() {
          return started().driver;
        },
      });
    },
  );
};
