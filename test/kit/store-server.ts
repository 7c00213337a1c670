import { StoreServer } from '../../src/embedded-store/store-server.js';
import { makeTemporaryDirectory } from './temporary-directory.js';

export interface RunningServer {
  readonly server: StoreServer;
  /** How clients name it. */
  readonly endpoint: string;
  /** Stops it and leaves nothing of it. */
  remove(): Promise<void>;
}

/** The embedded store on the test's own thread, behind its socket. */
export const startStoreServer = async (): Promise<RunningServer> => {
  const directory = await makeTemporaryDirectory();
  const onLogFailure = (error: Error) => {
    throw error;
  };
  const server = await StoreServer.start({ dataDirectory: directory.path, onLogFailure });
  const remove = async () => {
    await server.stop();
    await directory.remove();
  };
  return { server, endpoint: `unix:${server.socketPath}`, remove };
};
