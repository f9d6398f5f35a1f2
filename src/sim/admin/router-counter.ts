/** How often the gateway's router was rebuilt: any write to a route or a service does it, writes close together share one. */
import type { Clock } from "../../runtime.ts";
import type { AdminChange } from "./admin-store.ts";

/** Milliseconds. A gateway under traffic rebuilds on the next request; this stands for the gap between requests. */
const sharedWithin = 50;

export class RouterCounter {
  /** Writes and deletes of routes and services. */
  writes = 0;
  rebuilds = 0;
  readonly #clock: Clock;
  #last = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note({ collection }: AdminChange): void {
    if (collection !== "routes" && collection !== "services") return;
    this.writes += 1;
    const now = this.#clock.now();
    if (now - this.#last < sharedWithin) return;
    this.#last = now;
    this.rebuilds += 1;
  }
}
