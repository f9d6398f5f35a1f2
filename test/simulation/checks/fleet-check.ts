import type { AdminExchange } from "../../../src/sim/admin/admin-exchange.ts";
import type { AdminChange } from "../../../src/sim/admin/admin-store.ts";
import { contentOf, identityOf } from "../oracle/ownership.ts";
import type { Body } from "../oracle/ownership.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import type { World } from "../world.ts";
import type { Check } from "./check.ts";
import { isPurged, keptWhatStood, partsOf, whyUnseen } from "./sight.ts";

/**
 * M8: while a cluster with a part in a fleet group is out of sight, the group's settings stay as they stand. Where its
 * route is known not to stand, nothing works that could break: then those that are seen set them (0020). A write is judged by
 * the settings that its process can have known to stand when it was sent.
 */
export class FleetCheck implements Check {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  applied(exchange: AdminExchange, request: SentRequest | undefined): void {
    if (request === undefined || request.isOrphan()) return;
    for (const change of exchange.changes) this.#judge(change, request);
  }

  #judge({ collection, id, before, after }: AdminChange, request: SentRequest): void {
    if (before === undefined || after === undefined) return;
    const { instance } = this.#world.config;
    const identity = identityOf(instance, id, before.value);
    if (identity?.share !== "fleet" || settingsOf(before.value) === settingsOf(after.value)) return;
    if (keptWhatStood(request, after.value, settingsOf)) return;
    const route = this.#world.admin.store.get("routes", id);
    if (route === undefined && request.knownRoute.type === "absent") return;
    // Somebody has taken it over: no route of ours stands.
    if (route !== undefined && identityOf(instance, id, route.value) === undefined) return;
    const upstream =
      collection === "upstreams" ? before.value : this.#world.admin.store.get("upstreams", id)?.value;
    for (const cluster of partsOf(identity, upstream ?? {}, request)) {
      if (isPurged(this.#world, cluster, request, identity.kind)) continue;
      const unseen = whyUnseen(this.#world, cluster, request, identity.kind);
      if (unseen !== undefined)
        this.#world.violate(
          2,
          `${collection}/${id} of a fleet: ${settingsOf(before.value)} becomes ${settingsOf(after.value)}, though of ${cluster}: ${unseen}`,
        );
    }
  }
}

/** All but nodes, and whose they are. */
function settingsOf(body: Body): string {
  const { nodes: _nodes, labels, ...settings } = body;
  const others = Object.entries((labels ?? {}) as Body).filter(
    ([name]) => !name.startsWith("translator/member."),
  );
  return contentOf({ ...settings, labels: Object.fromEntries(others) });
}
