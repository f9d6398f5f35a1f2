import type { Identity } from "../../../src/apisix/types.ts";
import type { AdminChange } from "../../../src/sim/admin/admin-store.ts";
import type { AdminExchange } from "../../../src/sim/admin/admin-exchange.ts";
import { identityOf, nodesOf } from "../oracle/ownership.ts";
import type { Body } from "../oracle/ownership.ts";
import type { Meaning } from "../truth-history.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import { nodeNet } from "../sim-cluster.ts";
import type { Basis } from "../wire/heard-lists.ts";
import type { World } from "../world.ts";
import {
  isAbsent,
  isDeclared,
  isOffNodes,
  isOfOtherScheme,
  isUnnamed,
  needs,
  ownersIn,
  selectionOf,
  viaOf,
  wants,
} from "./asked-for.ts";
import type { Owners, Via } from "./asked-for.ts";
import type { Check } from "./check.ts";
import { mayHaveCrossed, mayHaveSeen } from "./may-have-seen.ts";
import { hasSurelyGiven } from "./pause-memory.ts";
import { isRelabelled } from "./relabelled.ts";
import { Rivals } from "./rivals.ts";
import { cameLater, isDrained, isLate, isPurged, memberClusters, partsOf, whyUnseen } from "./sight.ts";

const neverTrue = "its objects asked for it all the time";

/**
 * Invariant 2: whatever is deleted, emptied or shrunk was not to be there at some moment that the translator can have
 * seen, and its cluster was listed completely in this term and is not out of sight.
 */
export class TruthCheck implements Check {
  readonly #world: World;
  readonly #rivals: Rivals;

  constructor(world: World) {
    this.#world = world;
    this.#rivals = new Rivals(world);
  }

  applied(exchange: AdminExchange, request: SentRequest | undefined): void {
    this.#rivals.applied(exchange);
    if (request === undefined) return;
    if (!isLate(request)) this.#world.processOf(request).shown.note(exchange, request, this.#world);
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
    const upstream = this.#world.admin.store.get("upstreams", id)?.value ?? {};
    const kept = new Set(after === undefined ? [] : this.#world.gateway.pairsOf(after));
    const stood = before === undefined ? [] : this.#world.gateway.pairsOf(before);
    const lost = stood.filter((pair) => !kept.has(pair));
    if (lost.length === 0) return this.#whyUntouchable(id, identity, request);
    const parts = partsOf(identity, upstream, request);
    const owners = ownersIn(identity, upstream);
    const { kind } = identity;
    const isFleet = identity.share === "fleet";
    if (after !== undefined)
      return this.#why({ parts, kind, id, owners, isFleet }, request, (meaning) =>
        lost.every((pair) => !wants(meaning, id, owners, pair)),
      );
    // A route may be taken down for a while to let a cycle move, or for who has more right to a pair of it.
    const isBeside = before !== undefined && this.#rivals.has(lost, before, request);
    return this.#why(
      { parts, kind, id, owners, isFleet },
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
        {
          parts: partsOf(identity, before, request),
          kind: identity.kind,
          id,
          owners,
          isFleet: identity.share === "fleet",
        },
        request,
        (meaning) => !hasRoute && isDeclared(meaning, id),
      );
    }
    if (isRelabelled(this.#world, identity.cluster, before, after, request)) return undefined;
    const kept = new Set(nodesOf(after).map(({ host, port }) => `${host}:${port}`));
    const hosts = new Set(nodesOf(after).map(({ host }) => host));
    const via = this.#viaOf(id, identity, before, after, request);
    const heard = { history: this.#world.history, lists: this.#world.processOf(request).lists };
    for (const { host, port, metadata } of nodesOf(before)) {
      if (kept.has(`${host}:${port}`)) continue;
      const cluster = identity.cluster || (metadata?.cluster ?? "");
      if (isDrained(this.#world, cluster, request) || !this.#world.clusters.has(cluster)) continue;
      if (isPurged(this.#world, cluster, request, identity.kind)) continue;
      if (cameLater(cluster, identity, request, { host, port })) continue;
      const basis = this.#basisOf(cluster, identity, { id, host, via }, request);
      const unseen = whyUnseen(this.#world, cluster, request, basis);
      const isByNodes = via === "nodePort" && whyUnseen(this.#world, cluster, request, "node") === undefined;
      const isGone = (meaning: Meaning): boolean =>
        !needs(meaning, id, host, port, hosts, (uid) =>
          hasSurelyGiven({ id, cluster, uid, host, port }, meaning.from, heard),
        ) ||
        isOfOtherScheme(meaning, id, after) ||
        (isByNodes && isUnnamed(meaning, id));
      if (unseen !== undefined) return `loses the node ${host}:${port}: ${unseen}`;
      if (
        !mayHaveSeen(this.#world, request, { id, cluster, basis }, isGone) &&
        !mayHaveCrossed(this.#world, request, { id, cluster, basis }, isGone)
      )
        return `loses the node ${host}:${port}: ${neverTrue}`;
    }
    if (isDrained(this.#world, identity.cluster, request)) return undefined;
    return this.#whyUntouchable(id, identity, request);
  }

  /**
   * Undefined: every cluster that has a part is seen, and it is right at some moment that the translator can have seen:
   * what one of them meant then, or for all of them that they had no part any more.
   */
  #why(
    { parts: all, kind, id, owners, isFleet }: Judged,
    request: SentRequest,
    isRight: (meaning: Meaning) => boolean,
  ): string | undefined {
    const parts = all.filter((cluster) => !isPurged(this.#world, cluster, request, kind));
    if (all.length > 0 && parts.length === 0) return undefined;
    for (const cluster of parts) {
      const unseen = whyUnseen(this.#world, cluster, request, kind);
      if (unseen !== undefined) return unseen;
    }
    const says = (meaning: Meaning, cluster: string): boolean =>
      (parts.length === 1 && parts.includes(cluster)) || meaning.groups.has(id);
    // Who comes into sight may set what a fleet group asks for before its upstream names it.
    const others = [...this.#world.clusters.keys()].filter(
      (cluster) =>
        isFleet && !all.includes(cluster) && whyUnseen(this.#world, cluster, request, kind) === undefined,
    );
    const isSome = [...parts, ...others].some((cluster) =>
      mayHaveSeen(
        this.#world,
        request,
        { id, cluster, basis: kind },
        (meaning) => says(meaning, cluster) && isRight(meaning),
      ),
    );
    const isNone = parts.every((cluster) =>
      mayHaveSeen(this.#world, request, { id, cluster, basis: kind }, (meaning) =>
        isAbsent(meaning, id, owners),
      ),
    );
    return isSome || isNone ? undefined : neverTrue;
  }

  /** An address of a Node goes by what Nodes say, unless what asks for it may have turned away from them. */
  #basisOf(
    cluster: string,
    { kind }: Identity,
    { id, host, via }: { id: string; host: string; via: Via | undefined },
    request: SentRequest,
  ): Basis {
    if (!host.startsWith(nodeNet)) return kind;
    const isElsewhere = (meaning: Meaning): boolean => isOffNodes(meaning, id, via === "endpoint");
    return mayHaveSeen(this.#world, request, { id, cluster, basis: kind }, isElsewhere) ? kind : "node";
  }

  /**
   * What the nodes of an Invalid declaration come by: what the upstream's label says, as it stood or as one of the group's
   * clusters that are seen, which need not be the declaration's own, asks for it; undefined: neither says so.
   */
  #viaOf(id: string, { kind }: Identity, before: Body, after: Body, request: SentRequest): Via | undefined {
    const selection = selectionOf(after);
    const isAsked = ({ groups }: Meaning): boolean =>
      selectionOf(groups.get(id)?.upstream ?? {}) === selection;
    const isSaid =
      selectionOf(before) === selection ||
      memberClusters(after)
        .filter((cluster) => whyUnseen(this.#world, cluster, request, kind) === undefined)
        .some((cluster) => mayHaveSeen(this.#world, request, { id, cluster, basis: kind }, isAsked));
    return isSaid ? viaOf(selection) : undefined;
  }

  #whyUntouchable(id: string, { kind, share, cluster }: Identity, request: SentRequest): string | undefined {
    if (share === "fleet" || isPurged(this.#world, cluster, request, kind)) return undefined;
    const isTouchable = (meaning: Meaning): boolean => meaning.groups.get(id)?.untouchable !== true;
    return (
      whyUnseen(this.#world, cluster, request, kind) ??
      (mayHaveSeen(this.#world, request, { id, cluster, basis: kind }, isTouchable)
        ? undefined
        : "it is paused")
    );
  }
}

/** What is judged: of which clusters, and who gave what stands. */
interface Judged {
  readonly parts: readonly string[];
  readonly kind: Identity["kind"];
  readonly id: string;
  readonly owners: Owners;
  readonly isFleet: boolean;
}

function titleOf({ cluster, namespace, name, route }: Identity): string {
  return [cluster, namespace, name, route].join("/");
}
