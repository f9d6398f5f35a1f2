import type { AdminExchange } from "../../src/sim/admin/admin-exchange.ts";
import type { AdminChange, AdminEntry } from "../../src/sim/admin/admin-store.ts";

type Value = AdminEntry["value"];

/**
 * Looks at every request of the translator from outside (ARCHITECTURE.md, "Invariants" 1, 3 and 6). Whoever else writes
 * is not judged, but what they leave is: a pair on which a stranger put two routes is nobody's fault.
 */
export class Invariants {
  /** One sentence for each breach. */
  readonly breaches: string[] = [];
  /** PUTs that left what stood as it was. Legitimate only to repeat a request whose outcome is unknown. */
  readonly idle: string[] = [];
  readonly #holders = new Map<string, Set<string>>();

  readonly see = (exchange: AdminExchange): void => {
    for (const change of exchange.changes) this.#change(change, exchange.direct);
  };

  #change(change: AdminChange, isStranger: boolean): void {
    const { collection, id, before, after } = change;
    const what = `${after === undefined ? "DELETE" : "PUT"} ${collection}/${id}`;
    if (!isStranger) {
      if (collection !== "routes" && collection !== "upstreams")
        this.breaches.push(`${what}: never written by us`);
      if (before !== undefined && !isOurs(before.value))
        this.breaches.push(`${what}: what stood was not ours`);
      if (before !== undefined && after !== undefined && content(before.value) === content(after.value))
        this.idle.push(what);
    }
    if (collection !== "routes") return;
    for (const pair of pairsOf(before?.value)) this.#holders.get(pair)?.delete(id);
    for (const pair of pairsOf(after?.value)) {
      const holders = this.#holders.get(pair) ?? new Set<string>();
      this.#holders.set(pair, holders.add(id));
      if (holders.size > 1 && !isStranger)
        this.breaches.push(`${what}: ${pair} is held by ${[...holders].join(", ")}`);
    }
  }
}

function isOurs(value: Value): boolean {
  return (value["labels"] as Record<string, string> | undefined)?.["managed-by"] === "apisix-translator";
}

function content(value: Value): string {
  const { update_time: _, create_time: __, ...rest } = value;
  return JSON.stringify(rest);
}

/** Pairs of a route of ours: strangers' are for the claims to judge. */
function pairsOf(value: Value | undefined): string[] {
  if (value === undefined || !isOurs(value)) return [];
  const { hosts, uris } = value as { hosts?: string[]; uris?: string[] };
  return (hosts ?? []).flatMap((host) => (uris ?? []).map((uri) => `${host}${uri}`));
}
