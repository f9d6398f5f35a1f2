import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** A way to a server on this host that can be cut: one URL of several to the same Admin API. */
export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #to: number;
  #isDeaf = false;
  #port = 0;

  static async start(to: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(to);
    await proxy.restore();
    return proxy;
  }

  constructor(to: number) {
    this.#to = to;
    this.#server = createServer((near) => this.#join(near));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  /** Nothing listens any more; what is open is reset. */
  async cut(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  /** Requests arrive, answers do not. */
  silence(): void {
    this.#isDeaf = true;
  }

  /** Listens, on the same port as before. */
  async restore(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.#port, "127.0.0.1", resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.cut();
  }

  #join(near: Socket): void {
    const far = connect(this.#to, "127.0.0.1");
    near.on("data", (chunk) => far.write(chunk));
    far.on("data", (chunk) => void (this.#isDeaf || near.write(chunk)));
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      // A reset is an end like any other.
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
