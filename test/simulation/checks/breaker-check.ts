import type { SentRequest } from "../wire/admin-tap.ts";
import type { World } from "../world.ts";
import type { Check } from "./check.ts";

/** Between two probes of an Admin API that does not answer, and their timeouts. */
const longestTrouble = 60_000;

/**
 * Invariant 9, as far as one object could keep all others from being written: APISIX counts as away only while something
 * does not answer as APISIX does. What it refuses is an answer.
 */
export class BreakerCheck implements Check {
  readonly #world: World;
  #struck = 0;
  #troubleAt = -Infinity;

  constructor(world: World) {
    this.#world = world;
  }

  ended(request: SentRequest, how: string): void {
    const { admin, time } = this.#world;
    const { struck, etcd } = admin.faults;
    const isWell = /^(?:200|201|400|404)$/.test(how) && etcd === "up";
    if (!isWell || struck !== this.#struck) this.#troubleAt = time.now();
    this.#struck = struck;
    const { breaker } = this.#world.processOf(request).controller?.writer ?? {};
    if (breaker?.state === "down" && time.now() - this.#troubleAt > longestTrouble)
      this.#world.violate(9, "writes are held back, though APISIX has answered everything as it does");
  }
}
