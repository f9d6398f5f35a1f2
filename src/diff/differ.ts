import type { JsonObject, Resource } from "../apisix/types.ts";
import type { Pair } from "../declare/pair.ts";
import type { Body } from "../desired/bodies.ts";
import type { Surroundings, Translation } from "../desired/context.ts";
import type { DesiredState } from "../desired/desired-state.ts";
import type { Group, View } from "../desired/group.ts";
import { forgetStanding, holdNodes, letNodesGo } from "../desired/group.ts";
import type { Place } from "../desired/keeping.ts";
import { isKeptOld, keptNodesOf } from "../desired/kept.ts";
import type { SlicePlace } from "../desired/slices.ts";
import type { SourceKey } from "../desired/sources.ts";
import { lostClusters } from "../desired/spec.ts";
import type { FromShard, Known } from "../shard/protocol.ts";
import type { NodeProjection, SourceObject } from "../store/projection.ts";
import { ClusterChanges } from "./cluster-changes.ts";
import { isStanding } from "./contents.ts";
import type { GoneParts } from "./gone-parts.ts";
import { handOut, settleSent } from "./hand-out.ts";
import type { Drained, Working } from "./judge.ts";
import { Judge } from "./judge.ts";
import type { KnownIndex } from "./known-index.ts";
import { Strays } from "./strays.ts";
import type { Tracked } from "./tracked.ts";
import { differsFrom, nothingStands, settleContent } from "./tracked.ts";

/**
 * Desired state × what stands in APISIX → changes. Holds no bodies: it says which groups' content may differ, and
 * builds a body only when the writer wants it.
 *
 * Guarantees: a group whose kinds are not settled is not spoken of; a change is said once, until it is taken up by a
 * `want` or differs from what was said.
 */
export class Differ {
  readonly clusters: ClusterChanges;
  readonly #judge: Judge;
  readonly #strays = new Strays();

  constructor(translation: Translation, working?: Working) {
    this.#judge = new Judge(translation, working);
    this.clusters = new ClusterChanges(this.#judge, this.#strays);
  }

  get desired(): DesiredState {
    return this.#judge.desired;
  }

  get known(): KnownIndex {
    return this.#judge.known;
  }

  get goneParts(): GoneParts {
    return this.#judge.sights.goneParts;
  }

  get surroundings(): Surroundings {
    return this.#judge.surroundings;
  }

  /** What has been found out since the last call. */
  drain(): Drained {
    return this.#judge.drain();
  }

  /**
   * Takes the newest state of some objects; groups that several of them touch are judged once. `bodies`: so many may be
   * handed out with what is said.
   */
  take(entries: readonly ObjectChange[], bodies = 0): void {
    const touched = new Set<string>();
    for (const entry of entries) {
      if (!this.desired.translation.clusters.has(entry.cluster)) continue;
      for (const id of this.#takeOne(entry)) {
        touched.add(id);
        if (entry.at > 0) this.#judge.track(id).at ??= entry.at;
      }
    }
    this.#judge.judgeAll(touched, bodies);
  }

  #takeOne(entry: ObjectChange): Iterable<string> {
    const { feeds } = this.desired.translation;
    if (entry.type === "slice") {
      if (entry.packed === undefined) feeds.slices.remove(entry);
      else feeds.slices.put(entry, entry.packed);
      return this.desired.refeed({ ...entry, kind: "service", name: entry.service });
    }
    if (entry.type === "node") {
      const { cluster, name, node } = entry;
      if (node === undefined) feeds.nodes.remove(cluster, name);
      else feeds.nodes.put(cluster, name, node);
      return this.#judge.sights.nodeUsers.groupsOf(cluster);
    }
    const { cluster, object } = entry;
    const ids = object === undefined ? this.desired.remove(entry) : this.desired.apply(cluster, object);
    const stray = this.#strays.review(entry, this.desired.source(entry));
    if (stray !== undefined) this.#judge.announce(stray);
    return ids;
  }

  takeKnown(entries: readonly Known[]): void {
    for (const told of entries) {
      const group = this.desired.group(told.id, told.identity);
      // Its own copies of what the group has would be kept as long.
      const known: Known = { ...told, id: group.id, identity: group.identity };
      const before = this.known.get(known.id);
      const news = {
        upstream: before?.upstream?.digest !== known.upstream?.digest,
        route: before?.route?.digest !== known.route?.digest,
      };
      this.known.put(known);
      const tracked = this.#judge.track(known.id);
      if (news.upstream) tracked.awaitsUpstream = false;
      tracked.mayCome = known.mayCome === true;
      // What was not there when it was read may have come since: given up, and applied late.
      if (known.upstream !== undefined && group.kept?.upstream === null) group.kept = undefined;
      const isOwn = settleSent(group, known.upstream, tracked);
      const hadInherited = group.inherits;
      if (known.route !== undefined) group.inherits = false;
      settleContent(known.upstream, tracked.upstream);
      settleContent(known.route, tracked.route);
      // Of a resource that stands as before nothing new is known: its body may be on its way.
      const isOtherRoute = news.route && differsFrom(known.route, tracked.route);
      const isOthers = news.upstream && !isOwn && this.#isToBuildOnKept(group, tracked);
      const differs =
        isOtherRoute || isOthers || (news.upstream && differsFrom(known.upstream, tracked.upstream));
      // Where it is not judged now (its object is away, say), it is when the same settings are declared again.
      if (isOtherRoute) tracked.routeKey = "";
      // Where settings are frozen, what somebody edited is the new basis: it is left as found.
      if (differs && this.#judge.view(group).type === "frozen") forgetStanding(group);
      // After a restart they are known by the bodies alone that were read: the route is another by now.
      else if (news.route && isKeptOld(group, known) && this.#judge.view(group).type === "frozen")
        group.kept = undefined;
      // The common case: our own write was acknowledged, and what it means does not depend on what stands.
      if (differs || hadInherited || !tracked.isPlain || this.goneParts.of(known.id).length > 0)
        this.#judge.judge(known.id, differs);
    }
    if (this.desired.keepsAnything) this.#reviewPlaces(entries);
  }

  /** Nothing built is known that news could be held against, and what is to be built rests on what is remembered to stand. */
  #isToBuildOnKept(group: Group, { upstream }: Tracked): boolean {
    if (upstream.digest !== undefined || (group.accepted ?? group.kept) === undefined) return false;
    return this.#judge.view(group).type === "frozen";
  }

  #reviewPlaces(entries: readonly Known[]): void {
    const places = new Map<string, Place>();
    for (const { identity } of entries) {
      const { cluster, kind, namespace } = identity;
      places.set(`${cluster}/${kind}/${namespace}`, { cluster, kind, namespace });
    }
    for (const place of places.values()) this.#review(place);
  }

  forget(ids: readonly string[]): void {
    for (const id of ids) {
      this.known.remove(id);
      const group = this.desired.groups.get(id);
      Object.assign(this.#judge.track(id), nothingStands());
      if (group === undefined || group.members.size > 0) this.#judge.judge(id, true);
      else this.#judge.drop(id);
    }
  }

  takeKept(id: string, upstream: JsonObject | null, route: JsonObject | null): void {
    const group = this.desired.groups.get(id);
    if (group === undefined) return;
    group.kept = { upstream, route };
    for (const cluster of lostClusters(group, this.#judge.stands(group), this.surroundings)) {
      if (upstream === null) letNodesGo(group, cluster);
      else holdNodes(group, cluster, keptNodesOf(upstream, cluster));
    }
    this.#judge.track(id).needed = false;
    this.#review(group.identity);
    this.#judge.judge(id, true);
  }

  /** Answers a credit of the writer. */
  want(id: string, resource: Resource, pairs: readonly Pair[] | undefined): FromShard {
    const group = this.desired.groups.get(id);
    if (group !== undefined) this.#judge.wants(group);
    const view = group && this.#judge.view(group);
    const tracked = this.#judge.track(id);
    tracked.told[resource] = false;
    const body = group && view && this.#wantedBody(group, view, tracked, resource, pairs);
    if (body === undefined) {
      tracked.word = "";
      // The writer asks again: what was handed out before is not on its way any more.
      if (tracked[resource].state === "sent") tracked[resource].state = "dirty";
      this.#judge.judge(id);
      return { type: "stale", id, resource };
    }
    tracked[resource].digest = body.digest;
    if (isStanding(this.known.get(id)?.[resource], body)) {
      tracked[resource].state = "clean";
      // The answer to what was sent may have been missed: the group had changed meanwhile, and changed back.
      if (resource === "upstream" && view?.type === "live" && group !== undefined)
        group.accepted = view.settings;
      return { type: "same", id, resource };
    }
    if (resource === "upstream")
      return handOut(id, body, view, tracked, group && view && this.#judge.membersOf(group, view));
    tracked.route.state = "sent";
    const about = { id, resource, body: body.text, digest: body.digest };
    return { type: "body", ...about, ...(pairs === undefined ? {} : { pairs }) };
  }

  #wantedBody(
    group: Group,
    view: View,
    tracked: Tracked,
    resource: Resource,
    pairs: readonly Pair[] | undefined,
  ): Body | undefined {
    if (this.#judge.mustWait(group) || this.#judge.sights.lacksNodes(group)) return undefined;
    if ((view.type !== "live" && view.type !== "frozen") || this.#judge.isUnclear(group)) return undefined;
    if (resource === "upstream")
      return view.missing ? undefined : this.#judge.contents.upstream(group, view, tracked);
    if (view.type !== "live" || pairs === undefined || !samePairs(view.settings.pairs, pairs))
      return undefined;
    return this.#judge.contents.route(group, view.settings);
  }

  #review(place: Place): void {
    for (const id of this.desired.reviewKeeping(place)) this.#judge.judge(id, true);
    for (const { id, identity } of this.desired.unclear(place)) {
      this.desired.group(id, identity);
      this.#judge.need({ id, identity });
    }
  }
}

/** The newest state of one object, undefined when it is gone. */
export type ObjectChange = { readonly at: number } & (
  | ({ readonly type: "source"; readonly object: SourceObject | undefined } & SourceKey)
  | ({ readonly type: "slice"; readonly packed: Uint8Array | undefined } & SlicePlace)
  | {
      readonly type: "node";
      readonly cluster: string;
      readonly name: string;
      readonly node: NodeProjection | undefined;
    }
);

function samePairs(a: readonly Pair[], b: readonly Pair[]): boolean {
  return a.length === b.length && a.every((pair, index) => pair === b[index]);
}
