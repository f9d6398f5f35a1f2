import type { SentRequest } from "../wire/admin-tap.ts";
import type { World } from "../world.ts";
import type { Check } from "./check.ts";

/** Invariant 8: upstream before route, route before upstream, and one request in flight for each key. */
export class OrderCheck implements Check {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  sent(request: SentRequest): void {
    const { method, collection, id } = request;
    if (id === undefined || method === "GET") return;
    const process = this.#world.processOf(request);
    if (process.knowledge.inFlight(id) > 0)
      this.#world.violate(8, `${method} ${collection}/${id} while another request of that id is in flight`);
    // Somebody may have deleted it behind the translator's back: then it believes that it stands.
    const isBelieved = process.knowledge.of("upstreams", id).type === "value";
    const stands = this.#world.admin.store.get("upstreams", id) !== undefined;
    if (method === "PUT" && collection === "routes" && !stands && !isBelieved)
      this.#world.violate(8, `PUT routes/${id} before its upstream stands`);
    const route = process.knowledge.of("routes", id);
    // Also one that somebody took out of our hands: whoever has it may use the upstream still.
    const refers = route.type === "value" && route.value["upstream_id"] === id;
    const isThere = this.#world.admin.store.get("routes", id) !== undefined;
    if (method === "DELETE" && collection === "upstreams" && refers && isThere)
      this.#world.violate(8, `DELETE upstreams/${id} while its route stands`);
  }
}
