import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

type Pass = () => void;

/**
 * A way to a server on this host on which a network can fail: it is cut, silent, half-open, or so slow that what was sent
 * arrives when nobody waits for it any more. Knows bytes only, so TLS passes.
 */
export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #to: number;
  #isDeaf = false;
  #port = 0;
  /** What is to be passed on at `release`, in order. */
  #held: Pass[] | undefined;
  /** Bytes of answers after which it begins to hold. */
  #holdAfter = Infinity;
  #holding = Promise.withResolvers<void>();
  /** Grows by `forsake`: connections of before lead nowhere. */
  #era = 0;
  #givenUp = 0;
  /** First lines of the requests that have come, as `PUT /path HTTP/1.1`. */
  readonly startLines: string[] = [];

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

  get port(): number {
    return this.#port;
  }

  /** Connections that clients have ended since `hold`. */
  get givenUp(): number {
    return this.#givenUp;
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

  /** Nothing passes, either way, until `release`: then all of it does, also what a client that is gone has sent. */
  hold(): void {
    this.#held ??= [];
    this.#givenUp = 0;
    this.#holdAfter = Infinity;
    this.#holding.resolve();
  }

  /** `hold`, once so many more bytes of answers have passed. Resolves when it does. */
  holdAfter(bytes: number): Promise<void> {
    this.#holdAfter = bytes;
    this.#holding = Promise.withResolvers();
    return this.#holding.promise;
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#holdAfter = Infinity;
    for (const pass of held) pass();
  }

  /** Half-open: connections that are open stay so and lead nowhere; new ones are as ever. */
  forsake(): void {
    this.#era += 1;
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
    const era = this.#era;
    const pass = (run: Pass): void => {
      if (era !== this.#era) return;
      if (this.#held === undefined) run();
      else this.#held.push(run);
    };
    near.on("data", (chunk: Buffer) => {
      const [line] = /^[A-Z]+ \S+ HTTP\/1\.1(?=\r\n)/.exec(chunk.toString("latin1", 0, 4096)) ?? [];
      if (line !== undefined) this.startLines.push(line);
      pass(() => far.write(chunk));
    });
    far.on("data", (chunk: Buffer) => {
      pass(() => void (this.#isDeaf || near.write(chunk)));
      this.#holdAfter -= chunk.length;
      if (this.#holdAfter <= 0) this.hold();
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      // A reset is an end like any other.
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        if (socket === near && this.#held !== undefined) this.#givenUp += 1;
        // What was written before leaves first.
        pass(() => other.destroySoon());
      });
    }
  }
}
