import type { Identity } from "../../../src/apisix/types.ts";
import type { AdminExchange } from "../../../src/sim/admin/admin-exchange.ts";
import type { AdminEntry } from "../../../src/sim/admin/admin-store.ts";
import { identityOf, nodesOf } from "../oracle/ownership.ts";
import type { Body } from "../oracle/ownership.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import type { CompleteList } from "../wire/kube-tap.ts";
import type { World } from "../world.ts";
import type { Check } from "./check.ts";
import { LeftGroups } from "./left-groups.ts";
import { isLetGoByPurge } from "./let-go-by-purge.ts";
import { isMerelyUnready, isUnreadAndUnready } from "./readiness.ts";
import { isMerelyRestored } from "./restored.ts";
import { isDrained, memberClusters } from "./sight.ts";
import { isYielded } from "./yielded.ts";

const minute = 60_000;
/** PRODUCT.md: nothing found where ten or more objects stood. */
const worthDoubt = 10;

interface Gone {
  readonly cluster: string;
  readonly at: number;
}

/** The guard: in a minute no more groups lose what stands for want of a source than it lets, unless an operator says so. */
export class GuardCheck implements Check {
  readonly #world: World;
  /** Groups that went since they were last declared, and when. */
  #gone = new Map<string, Gone>();
  /** Those that went, and are declared again: whether their return was seen is not known yet. */
  readonly #back = new Map<string, Gone>();
  /** Those whose return was seen: each counts in the minute in which it went. */
  #returned: [string, Gone][] = [];
  readonly #approved = new Set<string>();
  /** Cluster → groups that stood when its complete list was empty. */
  readonly #doubted = new Map<string, Set<string>>();
  /** Id → when a process last asked for anything of it, and since when nothing declares it. */
  readonly #askedAt = new Map<string, number>();
  readonly #undeclaredSince = new Map<string, number>();
  /** Id → when its upstream was last written, by whomever. */
  readonly #writtenAt = new Map<string, number>();
  readonly #left = new LeftGroups();
  /** Declared ones that lost their last node for want of slices or Nodes, and have had none since: they counted then. */
  #bare = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  started(): void {
    this.#gone = new Map();
    this.#back.clear();
    this.#returned = [];
    this.#doubted.clear();
    this.#left.clear();
    this.#bare = new Set();
  }

  approved(): void {
    for (const id of this.#owned()) if (this.#isUndeclared(id)) this.#approved.add(id);
    this.#doubted.clear();
  }

  sent({ id, sentAt }: SentRequest): void {
    if (id !== undefined) this.#askedAt.set(id, sentAt);
  }

  ended({ id, method, isOrphan }: SentRequest): void {
    if (id !== undefined && method === "DELETE" && !isOrphan())
      this.#left.answered(id, this.#world.time.now());
  }

  changed(cluster: string): void {
    this.#noteUndeclared(cluster);
    for (const id of this.#world.history.latest(cluster).groups.keys()) {
      const gone = this.#gone.get(id);
      if (gone !== undefined) this.#back.set(id, gone);
      this.#gone.delete(id);
      this.#approved.delete(id);
      this.#doubted.get(cluster)?.delete(id);
    }
  }

  listed(cluster: string, { kind, objects }: CompleteList): void {
    // What rests on Services is judged by two lists; how much of it goes is counted all the same.
    if (kind !== "pods") return;
    this.#doubted.delete(cluster);
    if (objects > 0) return;
    const standing = this.#owned().filter(
      (id) => this.#clusterOf(id) === cluster && this.#kindOf(id) === "pod",
    );
    if (standing.length >= worthDoubt)
      this.#doubted.set(cluster, new Set(standing.filter((id) => !this.#isGoing(id))));
  }

  /** Its end was seen, and begun, before the empty list. */
  #isGoing(id: string): boolean {
    const since = this.#undeclaredSince.get(id);
    return this.#gone.has(id) || (since !== undefined && (this.#askedAt.get(id) ?? -Infinity) >= since);
  }

  #noteUndeclared(cluster: string): void {
    const { groups } = this.#world.history.latest(cluster);
    for (const id of this.#owned()) {
      if (groups.has(id)) this.#undeclaredSince.delete(id);
      else if (this.#clusterOf(id) === cluster && !this.#undeclaredSince.has(id))
        this.#undeclaredSince.set(id, this.#world.time.now());
    }
  }

  applied(exchange: AdminExchange, request: SentRequest | undefined): void {
    if (request !== undefined && !request.isOrphan()) this.#judgeAll(exchange, request);
    for (const { collection, id, before, after } of exchange.changes) {
      if (collection === "upstreams") this.#writtenAt.set(id, this.#world.time.now());
      if (after !== undefined && nodesOf(after.value).length > 0) this.#bare.delete(id);
      this.#noteLeft(id, before);
    }
  }

  #noteLeft(id: string, before: AdminEntry | undefined): void {
    const identity = before && identityOf(this.#world.config.instance, id, before.value);
    if (this.#identityOf(id) !== undefined) this.#left.stands(id);
    else if (identity !== undefined) this.#left.left(id, identity.cluster, this.#world.time.now());
  }

  #judgeAll(exchange: AdminExchange, request: SentRequest): void {
    for (const { collection, id, before, after } of exchange.changes) {
      if (after !== undefined) this.#noteReturn(id);
      const identity = before && identityOf(this.#world.config.instance, id, before.value);
      if (identity === undefined || before === undefined) continue;
      const parts =
        identity.share === "fleet"
          ? memberClusters(this.#upstreamOf(id, collection, before))
          : [identity.cluster];
      if (parts.some((cluster) => isLetGoByPurge(this.#world, cluster, request, { id, ...identity })))
        continue;
      const isDeleted = collection === "routes" && after === undefined;
      const isEmptied =
        after !== undefined && nodesOf(before.value).length > 0 && nodesOf(after.value).length === 0;
      if (!isDeleted && !isEmptied) continue;
      const { history } = this.#world;
      const { groups, kept } = history.latest(identity.cluster);
      // A write that was given up may be applied when its source has gone: it was not sent for that.
      if (groups.has(id) || kept.has(id) || history.wasDeclared(id, request.sentAt)) {
        const isBare =
          isEmptied && identity.kind === "service" && !isDrained(this.#world, identity.cluster, request);
        if (isBare && !this.#wasUnready(id, parts, identity, before)) this.#bare.add(id);
        continue;
      }
      if (isDeleted && this.#bare.has(id)) continue;
      const pairs = isDeleted ? this.#world.gateway.pairsOf(before) : [];
      if (isDeleted && isYielded(this.#world, request, { id, kind: identity.kind, parts, pairs })) continue;
      // What had no nodes to lose was let go when its grace began.
      const grace = isEmptied ? 0 : this.#world.config.throttle.deleteGrace;
      // Nor is a cluster that is drained.
      if (isEmptied && isDrained(this.#world, identity.cluster, request)) continue;
      const isCluster = (name: string): boolean => this.#world.clusters.has(name);
      if (isEmptied && isMerelyRestored(identity, before.value, isCluster)) continue;
      if (!isEmptied || !this.#wasUnready(id, parts, identity, before))
        this.#went(id, identity.cluster, grace);
    }
  }

  /**
   * Since what it loses was written, none of its nodes was ready for a while, and their source was there, and declared it or
   * could not be read: who has seen that empties it unasked, and that may be applied when the source has gone.
   */
  #wasUnready(id: string, parts: readonly string[], identity: Identity, { value }: AdminEntry): boolean {
    const from = this.#writtenAt.get(id) ?? 0;
    const moments = parts.flatMap((cluster) => [...this.#world.history.since(cluster, from)]);
    return moments.some(
      (meaning) => isMerelyUnready(meaning, id) || isUnreadAndUnready(meaning, id, identity, value),
    );
  }

  /** Something of it is written while it is declared. */
  #noteReturn(id: string): void {
    const back = this.#back.get(id);
    if (back === undefined || !this.#world.history.latest(back.cluster).groups.has(id)) return;
    this.#back.delete(id);
    const now = this.#world.time.now();
    this.#returned = [...this.#returned.filter(([, { at }]) => now - at < minute), [id, back]];
  }

  #upstreamOf(id: string, collection: string, before: AdminEntry): Body {
    if (collection === "upstreams") return before.value;
    return this.#world.admin.store.get("upstreams", id)?.value ?? before.value;
  }

  #went(id: string, cluster: string, ago: number): void {
    if (this.#doubted.get(cluster)?.has(id) === true)
      this.#world.violate("guard", `${id} went, though nothing was found in ${cluster} where so much stood`);
    if (this.#approved.has(id) || this.#gone.has(id)) return;
    const now = this.#world.time.now();
    // The earliest time at which it can have been let go; what is judged now may have gone without grace.
    this.#back.delete(id);
    const latest = { cluster, at: now - ago };
    this.#gone.set(id, latest);
    const all = [...this.#gone, ...this.#returned];
    const recent = all.filter(([, went]) => went === latest || now - went.at < minute);
    this.#judge(recent, this.#owned().length, undefined);
    // A fleet group counts in each cluster that has a part in it.
    const owned = this.#owned().filter((other) => ["", cluster].includes(this.#clusterOf(other)));
    const hereRecent = recent.filter(([, went]) => went.cluster === cluster);
    if (cluster !== "") this.#judge(hereRecent, owned.length, cluster);
  }

  /** The ratio is of what stood when the last of them can have been let go: also of what a purge has taken since. */
  #judge(recent: readonly (readonly [string, Gone])[], owned: number, cluster: string | undefined): void {
    const count = recent.length;
    const ids = new Set(recent.map(([id]) => id));
    const gone = [...ids].filter((id) => this.#gone.has(id));
    const undeclared = Math.max(...gone.map((id) => this.#world.history.undeclaredSince(id)));
    const stood = owned + count + this.#left.since(undeclared, ids, cluster);
    const { maxDeletes, maxDeleteRatio } = this.#world.config.guard;
    const limit = Math.max(maxDeletes, maxDeleteRatio * stood);
    if (count <= limit) return;
    const went = recent.map(([id, { at }]) => `${id} at ${(at / 1000).toFixed(1)} s`).join(", ");
    const where = cluster === undefined ? "in all" : `of ${cluster}`;
    this.#world.violate("guard", `${count} groups ${where} went within a minute without approval: ${went}`);
  }

  #owned(): string[] {
    const all = [...this.#world.gateway.owned("routes"), ...this.#world.gateway.owned("upstreams")];
    return [...new Set(all.map(({ id }) => id))];
  }

  #clusterOf(id: string): string {
    return this.#identityOf(id)?.cluster ?? "";
  }

  #kindOf(id: string): string {
    return this.#identityOf(id)?.kind ?? "";
  }

  #identityOf(id: string): Identity | undefined {
    const { store } = this.#world.admin;
    const value = (store.get("routes", id) ?? store.get("upstreams", id))?.value ?? {};
    return identityOf(this.#world.config.instance, id, value);
  }

  #isUndeclared(id: string): boolean {
    const cluster = this.#clusterOf(id);
    const isOf = cluster === "" || this.#world.clusters.has(cluster);
    return isOf && !this.#world.history.latest(cluster).groups.has(id);
  }
}
