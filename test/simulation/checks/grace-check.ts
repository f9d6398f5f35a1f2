import type { Identity } from "../../../src/apisix/types.ts";
import type { AdminChange } from "../../../src/sim/admin/admin-store.ts";
import type { AdminExchange } from "../../../src/sim/admin/admin-exchange.ts";
import { identityOf } from "../oracle/ownership.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import type { World } from "../world.ts";
import type { Check } from "./check.ts";
import { isKeptForGrace } from "./kept-for-grace.ts";
import { isLetGoByPurge } from "./let-go-by-purge.ts";

/** What is known of a cluster may be as old. */
const longestLag = 180_000;

/**
 * PRODUCT.md, "Leaving": a route whose object is gone keeps its pairs for `throttle.deleteGrace`, except from challengers
 * of the same cluster and namespace (of a fleet: of the namespace). Of routes that are one object's alone.
 */
export class GraceCheck implements Check {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  applied(exchange: AdminExchange, request: SentRequest | undefined): void {
    // What was given up is applied in whatever comes to stand meanwhile.
    if (request === undefined || request.endedAt !== undefined || request.isOrphan()) return;
    for (const change of exchange.changes) {
      const { collection, id, before } = change;
      const identity = before && identityOf(this.#world.config.instance, id, before.value);
      if (collection === "routes" && identity?.share === "none") this.#judge(identity, change, request);
    }
  }

  #judge(identity: Identity, { id, before, after }: AdminChange, request: SentRequest): void {
    const { gateway, clusters, config } = this.#world;
    const kept = new Set(after === undefined ? [] : gateway.pairsOf(after));
    const lost = before === undefined ? [] : gateway.pairsOf(before).filter((pair) => !kept.has(pair));
    const cluster = clusters.get(identity.cluster);
    if (lost.length === 0 || cluster === undefined || cluster.isGarbled) return;
    if (isLetGoByPurge(this.#world, identity.cluster, request, { id, ...identity })) return;
    const isAlone = (pair: string): boolean => gateway.routesOn(pair).every((other) => other.id === id);
    if (!lost.every(isAlone)) return;
    const since = Math.max(0, request.sentAt - longestLag);
    const overBy = request.sentAt - config.throttle.deleteGrace;
    if (!isKeptForGrace(this.#world.history, { id, identity, lost }, { since, overBy })) return;
    if (this.#hasKin(id, identity, lost, since)) return;
    this.#world.violate(3, `routes/${id} loses ${lost.join(", ")} before its grace is over, for a stranger`);
  }

  #hasKin(id: string, identity: Identity, lost: readonly string[], since: number): boolean {
    for (const name of this.#world.clusters.keys())
      for (const { groups } of this.#world.history.since(name, since))
        for (const { id: of, identity: other, pairs, state } of groups.values()) {
          const isNear = other.share === "fleet" || other.cluster === identity.cluster;
          if (of === id || !isNear || other.namespace !== identity.namespace) continue;
          // What a paused or refused one asks for is not told.
          if (state === "open" || pairs.some((pair) => lost.includes(pair))) return true;
        }
    return false;
  }
}
