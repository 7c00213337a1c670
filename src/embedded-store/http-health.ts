import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { limits } from './limits.js';

/** How every HTTP/2 connection begins, and none of HTTP/1.1. */
const http2Start = Buffer.from('PRI');

/** Whether the other side speaks HTTP/2, and so gRPC. Undefined if it left without saying. */
export async function speaksHttp2(socket: Socket | TLSSocket): Promise<boolean | undefined> {
  if ('alpnProtocol' in socket && socket.alpnProtocol) return socket.alpnProtocol === 'h2';
  const start = await firstBytes(socket, http2Start.byteLength);
  if (start === undefined) return undefined;
  socket.unshift(start);
  return start.equals(http2Start);
}

async function firstBytes(socket: Socket, count: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const read = () => {
      const bytes = socket.read(count) as Buffer | null;
      if (bytes !== null) done(bytes);
    };
    const leave = () => done(undefined);
    const done = (bytes: Buffer | undefined) => {
      socket.off('readable', read);
      socket.off('close', leave);
      resolve(bytes && bytes.byteLength === count ? bytes : undefined);
    };
    socket.on('readable', read);
    socket.on('close', leave);
  });
}

/**
 * Answers who supervises the store and speaks HTTP/1.1, on the port of the store: `GET /health/live` with 204 as long as
 * the process lives, `GET /ping` with what EventStoreDB answers, everything else with 404.
 */
export function createHealthServer(): Server {
  const server = createServer(
    { headersTimeout: limits.handshakeMs, requestTimeout: limits.handshakeMs },
    answer,
  );
  server.keepAliveTimeout = limits.handshakeMs;
  return server;
}

function answer({ method, url }: IncomingMessage, response: ServerResponse): void {
  const path = method === 'GET' ? url?.split('?')[0] : undefined;
  if (path === '/health/live') response.writeHead(204).end();
  else if (path === '/ping') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ msgTypeId: 0, text: 'Ping request successfully handled' }));
  } else response.writeHead(404).end();
}
