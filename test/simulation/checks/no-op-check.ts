import type { AdminExchange } from "../../../src/sim/admin/admin-exchange.ts";
import { writtenOf } from "../oracle/ownership.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import type { World } from "../world.ts";
import type { Check } from "./check.ts";

/**
 * Invariant 6: no write that changes nothing, except to repeat one whose outcome is unknown. Invariant 7 follows from it
 * and from routes that hold no nodes: what only endpoints changed would be the same route again.
 */
export class NoOpCheck implements Check {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  applied(exchange: AdminExchange, request: SentRequest | undefined): void {
    const { method, resource = "", id = "", status, changes } = exchange;
    if (request === undefined || method === "GET") return;
    const { known } = request;
    if (method === "PUT" && resource === "routes") this.#checkNodes(exchange);
    // What was given up is applied when its process no longer has a hand in it.
    const isOver = request.endedAt !== undefined || request.isOrphan();
    if (known.type === "unknown" || status >= 500 || isOver) return;
    if (method === "DELETE" && status === 404 && known.type === "absent")
      this.#world.violate(6, `DELETE ${resource}/${id}: the translator knew that nothing stands there`);
    const [change] = changes;
    if (method !== "PUT" || known.type !== "value" || change?.before === undefined) return;
    const after = writtenOf(change.after?.value ?? {});
    if (after === writtenOf(change.before.value) && after === writtenOf(known.value))
      this.#world.violate(6, `PUT ${resource}/${id} changes nothing`);
  }

  #checkNodes({ id, body }: AdminExchange): void {
    const fields = body as Record<string, unknown>;
    if ("nodes" in fields || "upstream" in fields)
      this.#world.violate(7, `PUT routes/${id}: nodes stand in upstreams only`);
  }
}
