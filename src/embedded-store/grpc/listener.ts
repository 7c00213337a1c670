import { Server, ServerCredentials, type ServerOptions } from '@grpc/grpc-js';
import { chmodSync, rmSync } from 'node:fs';
import type { Server as HealthServer } from 'node:http';
import { createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { createHealthServer, speaksHttp2 } from '../http-health.js';
import { InvalidRequest } from '../errors.js';
import { limits } from '../limits.js';
import { messageGroups } from './message-groups.js';
import { addServices, type Endpoint } from './services.js';
import type { StoreContext } from './store-context.js';

export interface TlsFiles {
  /** PEM. */
  readonly certificate: Buffer;
  /** PEM. */
  readonly key: Buffer;
}

export type ListenAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly tls?: TlsFiles };

/** The first bytes of every HTTP/2 connection. A socket that has sent less has said nothing yet. */
const prefaceBytes = 24;

const serverOptions: ServerOptions = {
  'grpc.max_receive_message_length': limits.messageBytesMax,
  'grpc.max_send_message_length': limits.messageBytesMax,
  'grpc.max_connection_idle_ms': limits.idleConnectionMs,
  interceptors: [messageGroups],
};

/** A gRPC server on sockets of our own, so that their number and their silence are bounded. */
export class Listener {
  private readonly connections = new Set<Socket>();

  private constructor(
    private readonly sockets: NetServer,
    private readonly server: Server,
    private readonly health: HealthServer,
    private readonly address: ListenAddress,
  ) {}

  static async start(address: ListenAddress, context: StoreContext): Promise<Listener> {
    const tls = address.kind === 'tcp' ? address.tls : undefined;
    const sockets = tls ? createTlsServer(tlsOptionsOf(tls)) : createServer();
    sockets.maxConnections = limits.connectionsMax;
    await listen(sockets, address);
    const server = new Server(serverOptions);
    addServices(server, context, advertisedOf(sockets, address));
    const health = createHealthServer();
    const listener = new Listener(sockets, server, health, address);
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    sockets.on('connection', (socket: Socket) => listener.watch(socket));
    // Node.js tells of a handshake that failed or took too long, and leaves the socket open.
    sockets.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
    sockets.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      expectWord(socket, tls ? 1 : prefaceBytes);
      void speaksHttp2(socket).then((isHttp2) => {
        if (isHttp2) injector.injectConnection(socket);
        else if (isHttp2 === false) health.emit('connection', socket);
      });
    });
    return listener;
  }

  get port(): number {
    return portOf(this.sockets);
  }

  /** Refuses new connections; calls under way may finish for `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.sockets.close(() => resolve()));
    const deadline = setTimeout(() => {
      this.server.forceShutdown();
      for (const socket of this.connections) socket.destroy();
    }, graceMs);
    this.health.closeAllConnections();
    for (const socket of this.connections) if (socket.bytesRead === 0) socket.destroy();
    // Connections end when their calls have; from Node 24 on, the callback does not wait for that.
    this.server.tryShutdown(() => undefined);
    await closed;
    clearTimeout(deadline);
    if (this.address.kind === 'socket') rmSync(this.address.path, { force: true });
  }

  private watch(socket: Socket): void {
    this.connections.add(socket);
    // What goes wrong with a connection is the business of its calls.
    socket.on('error', () => undefined);
    socket.on('close', () => this.connections.delete(socket));
  }
}

/**
 * Closes the socket if it says nothing more in time. After the handshake of TLS a client sends at least its answer to the
 * settings that it is sent, so a single byte will do; how much of what came before was part of the handshake is not told.
 */
function expectWord(socket: Socket, bytes: number): void {
  const wanted = socket.bytesRead + bytes;
  const timer = setTimeout(() => {
    if (socket.bytesRead < wanted) socket.destroy();
  }, limits.handshakeMs);
  timer.unref();
  socket.on('error', () => undefined);
  socket.on('close', () => clearTimeout(timer));
}

/** The handshake is made here: gRPC's own leaves a client that stops in the midst of it two minutes. */
const tlsOptionsOf = ({ certificate, key }: TlsFiles): TlsOptions => ({
  cert: certificate,
  key,
  ALPNProtocols: ['h2', 'http/1.1'],
  handshakeTimeout: limits.handshakeMs,
});

async function listen(sockets: NetServer, address: ListenAddress): Promise<void> {
  const target =
    address.kind === 'socket' ? { path: freed(address.path) } : { host: address.host, port: address.port };
  await new Promise<void>((resolve, reject) => {
    sockets.once('error', (error: NodeJS.ErrnoException) => reject(listenFailure(address, error)));
    sockets.listen(target, () => {
      sockets.removeAllListeners('error');
      resolve();
    });
  });
  // Who may read the data directory may use the store.
  if (address.kind === 'socket') chmodSync(address.path, 0o600);
}

function listenFailure(address: ListenAddress, error: NodeJS.ErrnoException): Error {
  if (address.kind === 'socket' || error.code !== 'EADDRINUSE') return error;
  const place = `${address.host}:${address.port}`;
  return new InvalidRequest(`${place} is taken by another program; choose another --port`, { cause: error });
}

/** A socket that a killed process left behind; the lock on the directory says that nobody listens there. */
function freed(path: string): string {
  rmSync(path, { force: true });
  return path;
}

const portOf = (sockets: NetServer): number => (sockets.address() as AddressInfo | null)?.port ?? 0;

function advertisedOf(sockets: NetServer, address: ListenAddress): Endpoint {
  return address.kind === 'tcp'
    ? { host: address.host, port: portOf(sockets) }
    : { host: '127.0.0.1', port: 0 };
}
