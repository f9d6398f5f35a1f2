import type { Clock } from "../runtime.ts";
import { within } from "../within.ts";

/** Milliseconds that one may keep the next: a plugin or a file system that hangs harms its own cluster only. */
const longest = 100;

/**
 * One connection to a cluster after the other. Each reads a kubeconfig, certificates and what else it needs, some
 * milliseconds of work, and its first request makes a handshake: those of a hundred clusters at once would be one turn of the event
 * loop.
 */
export class ConnectQueue {
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves or rejects as `connect` does, which is called when its turn comes. */
  run<Connection>(connect: () => Promise<Connection>): Promise<Connection> {
    const connected = this.#last.then(connect);
    const ended = connected.catch(() => {});
    this.#last = this.#last.then(() => within(this.#clock, longest, ended));
    return connected;
  }
}
