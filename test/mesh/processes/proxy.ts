import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A wire between a node and its server that can be cut: what is said over it is then neither delivered nor refused, as
 * behind a firewall that drops. No end of it hears of that but by silence.
 */
export class Wire {
  readonly port: number;
  readonly #server: Server;
  readonly #ends = new Set<Socket>();
  #isCut = false;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as { port: number }).port;
  }

  /** @param host where it listens */
  static async to(port: number, host = '127.0.0.1'): Promise<Wire> {
    const server = createServer({ pauseOnConnect: true });
    await new Promise<void>((done) => server.listen(0, host, done));
    const wire = new Wire(server);
    server.on('connection', (near) => wire.#join(near, connect(port, '127.0.0.1')));
    return wire;
  }

  #join(near: Socket, far: Socket): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#ends.add(from);
      from.on('data', (data) => {
        if (!this.#isCut) to.write(data);
      });
      from.on('error', () => from.destroy());
      from.on('close', () => {
        this.#ends.delete(from);
        if (!this.#isCut) to.destroy();
      });
    }
    near.resume();
  }

  cut(): void {
    this.#isCut = true;
  }

  /** What was connected over it before is not any more: half of what it said is missing. */
  mend(): void {
    for (const end of this.#ends) end.destroy();
    this.#isCut = false;
  }

  close(): void {
    this.#server.close();
    this.#isCut = true;
    for (const end of this.#ends) end.destroy();
  }
}
