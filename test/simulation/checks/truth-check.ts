import type { Identity } from "../../../src/apisix/types.ts";
import type { AdminChange } from "../../../src/sim/admin/admin-store.ts";
import type { AdminExchange } from "../../../src/sim/admin/admin-exchange.ts";
import { identityOf, nodesOf } from "../oracle/ownership.ts";
import type { Body } from "../oracle/ownership.ts";
import type { Meaning } from "../truth-history.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import type { World } from "../world.ts";
import type { Check } from "./check.ts";

const neverTrue = "its objects asked for it all the time";
/** A watch that has fallen silent is noticed within this time; what is known may be as old. */
const longestLag = 180_000;
/** A half-open watch is noticed within 60 s; 30 s without one make a kind degraded. */
const surelyDegraded = 95_000;

/**
 * Invariant 2: whatever is deleted, emptied or shrunk was not to be there at some moment that the translator can have
 * seen, and its cluster was listed completely in this term and is not out of sight.
 */
export class TruthCheck implements Check {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  applied(exchange: AdminExchange, request: SentRequest | undefined): void {
    if (request === undefined) return;
    for (const change of exchange.changes) {
      const identity =
        change.before && identityOf(this.#world.config.instance, change.id, change.before.value);
      if (identity !== undefined) this.#judge(change, identity, request);
    }
  }

  #judge(change: AdminChange, identity: Identity, request: SentRequest): void {
    const { collection, id, before, after } = change;
    const what = `${request.method} ${collection}/${id} (${titleOf(identity)})`;
    const why =
      collection === "routes"
        ? this.#whyRoute(identity, change, request)
        : this.#whyUpstream(id, identity, before?.value ?? {}, after?.value, request);
    if (why !== undefined) this.#world.violate(2, `${what}: ${why}`);
  }

  #whyRoute(
    identity: Identity,
    { id, before, after }: AdminChange,
    request: SentRequest,
  ): string | undefined {
    const kept = new Set(after === undefined ? [] : this.#world.gateway.pairsOf(after));
    const lost =
      before === undefined ? [] : this.#world.gateway.pairsOf(before).filter((pair) => !kept.has(pair));
    if (lost.length === 0) return this.#whyUntouchable(id, identity, request);
    const owners = ownersIn(identity, this.#world.admin.store.get("upstreams", id)?.value ?? {});
    if (after !== undefined)
      return this.#why(identity, request, (meaning) =>
        lost.every((pair) => !wants(meaning, id, owners, pair)),
      );
    // A route may be taken down for a while to let a cycle move, or for an older stranger.
    const isBeside = lost.some((pair) => this.#world.gateway.routesOn(pair).some((other) => other.id !== id));
    return this.#why(
      identity,
      request,
      (meaning) => isBeside || lost.some((pair) => !wants(meaning, id, owners, pair)),
    );
  }

  #whyUpstream(
    id: string,
    identity: Identity,
    before: Body,
    after: Body | undefined,
    request: SentRequest,
  ): string | undefined {
    if (after === undefined) {
      const owners = ownersIn(identity, before);
      const hasRoute = this.#world.admin.store.get("routes", id) !== undefined;
      return this.#why(
        identity,
        request,
        (meaning) => isAbsent(meaning, id, owners) || (!hasRoute && isDeclared(meaning, id)),
      );
    }
    const kept = new Set(nodesOf(after).map(({ host, port }) => `${host}:${port}`));
    const hosts = new Set(nodesOf(after).map(({ host }) => host));
    for (const { host, port } of nodesOf(before)) {
      if (kept.has(`${host}:${port}`)) continue;
      // A drained cluster need not be seen.
      const isDrained = this.#world.configuration.weights.get(identity.cluster) === 0;
      if (isDrained) continue;
      const why = this.#why(identity, request, (meaning) => !needs(meaning, id, host, port, hosts));
      if (why !== undefined) return `loses the node ${host}:${port}: ${why}`;
    }
    return this.#whyUntouchable(id, identity, request);
  }

  /** Undefined: it is right at some moment that the translator can have seen. */
  #why(identity: Identity, request: SentRequest, isRight: (meaning: Meaning) => boolean): string | undefined {
    const { cluster: name } = identity;
    const cluster = this.#world.clusters.get(name);
    const { sentAt } = request;
    const list = this.#world.processOf(request).listBefore(name, sentAt);
    if (cluster === undefined) return "its cluster is not in the configuration";
    if (list === undefined) return "its cluster was not listed completely in this term";
    if (cluster.silentSince !== undefined && sentAt - cluster.silentSince > surelyDegraded)
      return `its cluster has been out of sight for ${((sentAt - cluster.silentSince) / 1000).toFixed(0)} s`;
    // Who has missed one event of many sees what never was.
    if (cluster.isGarbled) return undefined;
    const from = Math.max(list.startedAt, sentAt - longestLag);
    for (const meaning of this.#world.history.since(name, from)) if (isRight(meaning)) return undefined;
    return neverTrue;
  }

  #whyUntouchable(id: string, identity: Identity, request: SentRequest): string | undefined {
    const isTouchable = (meaning: Meaning): boolean => meaning.groups.get(id)?.untouchable !== true;
    const why = this.#why(identity, request, isTouchable);
    return why === neverTrue ? "it is paused" : why;
  }
}

function titleOf({ cluster, namespace, name, route }: Identity): string {
  return [cluster, namespace, name, route].join("/");
}

type Owners = ReadonlySet<string> | undefined;

/** Names of the Pods whose nodes stand; undefined for the group of one Pod. */
function ownersIn({ share }: Identity, upstream: Body): Owners {
  if (share === "none") return undefined;
  return new Set(nodesOf(upstream).flatMap(({ metadata }) => metadata?.name ?? []));
}

/**
 * Whether nothing of the group may stand. A Pod whose annotation cannot be read any more keeps what it had; in a group
 * that several share, by a node of its own, for nothing else says after a restart that it belongs there.
 */
function isAbsent({ groups, kept }: Meaning, id: string, owners: Owners): boolean {
  if (groups.has(id)) return false;
  return (kept.get(id) ?? []).every(({ name }) => owners?.has(name) === false);
}

function isDeclared({ groups }: Meaning, id: string): boolean {
  const group = groups.get(id);
  return group !== undefined && (group.state === "live" || group.refused);
}

function wants(meaning: Meaning, id: string, owners: Owners, pair: string): boolean {
  const group = meaning.groups.get(id);
  if (group === undefined) return !isAbsent(meaning, id, owners);
  return (group.state !== "live" && !group.refused) || group.pairs.includes(pair);
}

/** `others`: addresses that stay, by whatever port. */
function needs(
  { groups, kept }: Meaning,
  id: string,
  host: string,
  port: number,
  others: ReadonlySet<string>,
): boolean {
  const group = groups.get(id);
  if (group === undefined)
    return (kept.get(id) ?? []).some((pod) => pod.ip === host && pod.ready && pod.living);
  if (group.mustIps.has(host)) return !others.has(host);
  if (group.mayIps.has(host)) return false;
  return [...group.nodes].some((node) => node.startsWith(`${host}:${port} `));
}
