import { parentPort, workerData } from 'node:worker_threads';
import { endProcess } from './log-failure.js';
import { StoreServer, type StoreServerOptions } from './store-server.js';
import type { StoreThreadMessage } from './embedded-store.js';

/** Runs the store in a thread of its own, so that fsync and encoding never hold up the application. */
const post = (message: StoreThreadMessage): void => parentPort?.postMessage(message);

try {
  const options = workerData as Omit<StoreServerOptions, 'onLogFailure'>;
  const server = await StoreServer.start({ ...options, onLogFailure: endProcess });
  parentPort?.once('message', () => {
    void server.stop().then(() => parentPort?.close());
  });
  post({ kind: 'started', socketPath: server.socketPath, port: server.port });
} catch (error) {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  post({ kind: 'failed', name, message });
  parentPort?.close();
}
