import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A stretch of network between a client and a store that can freeze, so that nothing arrives and nothing breaks, and be cut. */
export class TcpGate {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private isFrozen = false;

  private constructor(targetPort: number) {
    this.server = createServer((near) => {
      const far = connect(targetPort, '127.0.0.1');
      this.join(near, far);
      this.join(far, near);
    });
  }

  static async start(targetPort: number): Promise<TcpGate> {
    const gate = new TcpGate(targetPort);
    gate.server.listen(0, '127.0.0.1');
    await once(gate.server, 'listening');
    return gate;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Holds back everything, also on connections to come, until `thaw`. */
  freeze(): void {
    this.isFrozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** Lets new connections through; what is frozen stays so. */
  thawNew(): void {
    this.isFrozen = false;
  }

  thaw(): void {
    this.isFrozen = false;
    for (const socket of this.sockets) socket.resume();
  }

  /** Breaks all connections; new ones are let through. */
  cut(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  close(): void {
    this.server.close();
    this.cut();
  }

  private join(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.on('data', (chunk) => to.write(chunk));
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
    if (this.isFrozen) from.pause();
  }
}
