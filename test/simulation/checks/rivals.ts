import type { AdminEntry } from "../../../src/sim/admin/admin-store.ts";
import type { AdminExchange } from "../../../src/sim/admin/admin-exchange.ts";
import { identityOf } from "../oracle/ownership.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import type { World } from "../world.ts";

interface Left {
  readonly createdIndex: number;
  readonly at: number;
}

/** Who may have more right to a pair on which a route of ours stands: another of ours, or an older stranger. */
export class Rivals {
  readonly #world: World;
  /** Pair → strangers that stood there, and when each left. */
  readonly #left = new Map<string, Left[]>();

  constructor(world: World) {
    this.#world = world;
  }

  applied({ changes }: AdminExchange): void {
    const { gateway, config, time } = this.#world;
    for (const { collection, id, before, after } of changes) {
      if (collection !== "routes" || before === undefined) continue;
      if (identityOf(config.instance, id, before.value) !== undefined) continue;
      const kept = new Set(after === undefined ? [] : gateway.pairsOf(after));
      const left = { createdIndex: before.createdIndex, at: time.now() };
      for (const pair of gateway.pairsOf(before))
        if (!kept.has(pair)) this.#left.set(pair, [...(this.#left.get(pair) ?? []), left]);
    }
  }

  /** Whether one stands on one of these pairs beside `own`, or did when who sent the request last looked. */
  has(pairs: readonly string[], own: AdminEntry, { routesSeenAt }: SentRequest): boolean {
    return pairs.some(
      (pair) =>
        this.#world.gateway
          .routesOn(pair)
          .some(({ id, ours, createdIndex }) => id !== own.id && (ours || createdIndex < own.createdIndex)) ||
        this.#left
          .get(pair)
          ?.some(({ createdIndex, at }) => createdIndex < own.createdIndex && at >= routesSeenAt) === true,
    );
  }
}
