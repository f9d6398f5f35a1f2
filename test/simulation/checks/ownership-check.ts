import type { AdminExchange } from "../../../src/sim/admin/admin-exchange.ts";
import { identityOf } from "../oracle/ownership.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import type { World } from "../world.ts";
import type { Check } from "./check.ts";

/** ARCHITECTURE.md: every DELETE rests on a look at that id that is not older. */
const longestLook = 30_000;

/** Invariant 1: no write or delete of an object that, as last read, lacks our ownership labels. */
export class OwnershipCheck implements Check {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  sent(request: SentRequest): void {
    const { method, collection, id = "", lastRead, lookedAt, sentAt } = request;
    if (method === "GET") return;
    const what = `${method} ${collection}/${id}`;
    if (collection !== "routes" && collection !== "upstreams")
      return this.#world.violate(1, `${what}: nothing but routes and upstreams is ours to write`);
    if (lastRead !== undefined && identityOf(this.#world.config.instance, id, lastRead) === undefined)
      this.#world.violate(1, `${what}: as last read, what stands there is not ours`);
    // Of a look, its process knows when it was answered, not when the store was read.
    const { timeout } = this.#world.config.gateway;
    if (method === "DELETE" && sentAt - lookedAt > longestLook + timeout)
      this.#world.violate(
        1,
        `${what}: the last look at it is ${((sentAt - lookedAt) / 1000).toFixed(1)} s old`,
      );
  }

  applied({ method, resource, id, status }: AdminExchange, request: SentRequest | undefined): void {
    if (request === undefined || method !== "PUT" || status >= 300) return;
    const value = this.#world.admin.store.get(resource ?? "", id ?? "")?.value;
    if (value !== undefined && identityOf(this.#world.config.instance, id ?? "", value) === undefined)
      this.#world.violate(1, `PUT ${resource}/${id}: it carries no ownership labels of this id`);
  }
}
