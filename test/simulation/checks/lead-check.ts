import type { SentRequest } from "../wire/admin-tap.ts";
import type { World } from "../world.ts";
import type { Check } from "./check.ts";

/**
 * Invariant 4: whoever sends a write holds the Lease, and the write is over, answered or given up, before its holder may
 * have lost it.
 */
export class LeadCheck implements Check {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  sent(request: SentRequest): void {
    const { leader } = this.#world.config;
    if (!leader.enabled || request.method === "GET") return;
    const process = this.#world.processOf(request);
    const what = `${request.method} ${request.collection}/${request.id ?? ""} of t${process.term}`;
    const holder = this.#world.leaseHolder();
    if (holder !== process.identity) this.#world.violate(4, `${what}: ${holder || "nobody"} holds the Lease`);
    const end = request.sentAt + request.timeout - process.renewedAt;
    if (end >= leader.renewDeadline)
      this.#world.violate(4, `${what} may end ${end.toFixed(0)} ms after the last renewal was sent`);
  }
}
