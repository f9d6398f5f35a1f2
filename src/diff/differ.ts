import type { Identity, JsonObject, Resource, Standing } from "../apisix/types.ts";
import type { Pair } from "../declare/pair.ts";
import type { Body } from "../desired/bodies.ts";
import { covers } from "../desired/context.ts";
import type { ClusterTranslation, Translation } from "../desired/context.ts";
import { DesiredState } from "../desired/desired-state.ts";
import type { Group, View } from "../desired/group.ts";
import { nodeClustersOf, viewGroup } from "../desired/group.ts";
import type { Place } from "../desired/keeping.ts";
import type { SlicePlace } from "../desired/slices.ts";
import type { SourceKey } from "../desired/sources.ts";
import type { BuiltBody, Change, FromShard, Known } from "../shard/protocol.ts";
import type { NodeProjection, SourceObject } from "../store/projection.ts";
import { sourcesFedBy } from "../store/source-kinds.ts";
import type { Kind } from "../watch/events.ts";
import { changeOf } from "./change-of.ts";
import { Contents, isStanding } from "./contents.ts";
import { KnownIndex } from "./known-index.ts";
import { NodeUsers, type NodeWish } from "./node-users.ts";
import { Settling } from "./settling.ts";
import { Strays } from "./strays.ts";
import type { Content, Tracked } from "./tracked.ts";
import { newTracked, wordOf } from "./tracked.ts";
import { handOut, unaskedBody } from "./hand-out.ts";

interface Need {
  readonly id: string;
  readonly identity: Identity;
}

/** What has been found out, and is to be said. */
export interface Drained {
  readonly changes: readonly Change[];
  readonly needs: readonly Need[];
  readonly bodies: readonly BuiltBody[];
  readonly wishes: readonly NodeWish[];
}

/**
 * Desired state × what stands in APISIX → changes. Holds no bodies: it says which groups' content may differ, and
 * builds a body only when the writer wants it.
 *
 * Guarantees: a group whose kinds are not settled is not spoken of; a change is said once, until it is taken up by a
 * `want` or differs from what was said.
 */
export class Differ {
  readonly desired: DesiredState;
  readonly known = new KnownIndex();
  readonly #uids = new Map<string, string>();
  readonly #contents: Contents;
  readonly #tracked = new Map<string, Tracked>();
  readonly #settling = new Settling();
  readonly #strays = new Strays();
  readonly #nodeUsers = new NodeUsers();
  #changes: Change[] = [];
  #needs: Need[] = [];
  #bodies: BuiltBody[] = [];
  /** Bodies that may still be handed out unasked. */
  #mayHandOut = 0;

  constructor(translation: Translation) {
    this.desired = new DesiredState(translation, this.known);
    this.#contents = new Contents(translation.instance, this.known, this.#uids);
  }

  /** What has been found out since the last call. */
  drain(): Drained {
    const drained = {
      ...{ changes: this.#changes, needs: this.#needs, bodies: this.#bodies },
      wishes: this.#nodeUsers.drain(),
    };
    this.#changes = [];
    this.#needs = [];
    this.#bodies = [];
    return drained;
  }

  cluster(cluster: string, uid: string): void {
    this.#uids.set(cluster, uid);
  }

  /**
   * The configuration has changed. Only what that can touch is looked at: groups of a cluster whose nodes change, or
   * every declaration where what it means may. A cluster that has left is out of sight: its groups stay as they stand.
   */
  configure(translation: Translation): void {
    const before = this.desired.translation;
    this.desired.translation = translation;
    const touched = new Set<string>();
    for (const [name, was] of before.clusters) {
      const now = translation.clusters.get(name);
      if (now === undefined) this.#lose(name);
      else if (isTranslatedOtherwise(was, now)) {
        for (const id of this.desired.groupsOf(name)) touched.add(id);
      }
    }
    for (const id of touched) this.#judge(id);
    if (translation.key === before.key) return;
    for (const id of this.desired.reread()) this.#judge(id, true);
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
        if (entry.at > 0) this.#track(id).at ??= entry.at;
      }
    }
    this.#mayHandOut = bodies;
    for (const id of touched) this.#judge(id);
    this.#mayHandOut = 0;
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
      return this.#nodeUsers.groupsOf(cluster);
    }
    const { cluster, object } = entry;
    const ids = object === undefined ? this.desired.remove(entry) : this.desired.apply(cluster, object);
    const stray = this.#strays.review(entry, this.desired.source(entry));
    if (stray !== undefined) this.#changes.push(stray);
    return ids;
  }

  settle(cluster: string, kind: Kind): void {
    if (!this.desired.translation.clusters.has(cluster)) return;
    for (const id of this.#settling.settle(cluster, kind)) this.#judge(id, true);
    for (const source of sourcesFedBy(kind)) {
      if (!this.#settling.isSettled({ cluster, kind: source })) continue;
      for (const id of this.known.ofKind(cluster, source)) {
        if ((this.desired.groups.get(id)?.members.size ?? 0) === 0) this.#judge(id, true);
      }
    }
  }

  unsettle(cluster: string, kind: Kind): void {
    this.#settling.unsettle(cluster, kind);
  }

  takeKnown(entries: readonly Known[]): void {
    for (const known of entries) {
      const before = this.known.get(known.id);
      const news = {
        upstream: before?.upstream?.digest !== known.upstream?.digest,
        route: before?.route?.digest !== known.route?.digest,
      };
      this.known.put(known);
      const tracked = this.#track(known.id);
      if (news.upstream) tracked.awaitsUpstream = false;
      const group = this.desired.group(known.id, known.identity);
      if (tracked.sentSettings !== undefined && known.upstream?.digest === tracked.upstream.digest) {
        group.accepted = tracked.sentSettings;
      }
      const hadInherited = group.inherits;
      if (known.route !== undefined) group.inherits = false;
      settleContent(known.upstream, tracked.upstream);
      settleContent(known.route, tracked.route);
      // Of a resource that stands as before nothing new is known: its body may be on its way.
      const differs =
        (news.upstream && differsFrom(known.upstream, tracked.upstream)) ||
        (news.route && differsFrom(known.route, tracked.route));
      // Where settings are frozen, what somebody edited is the new basis: it is left as found.
      if (differs && this.#view(group).type === "frozen")
        Object.assign(group, { accepted: undefined, kept: undefined });
      // The common case: our own write was acknowledged, and what it means does not depend on what stands.
      if (differs || hadInherited || !tracked.isPlain) this.#judge(known.id, differs);
    }
    if (this.desired.keepsAnything) this.#reviewPlaces(entries);
  }

  #reviewPlaces(entries: readonly Known[]): void {
    const places = new Map<string, Place>();
    for (const { identity } of entries)
      places.set(`${identity.cluster}/${identity.kind}/${identity.namespace}`, identity);
    for (const place of places.values()) this.#review(place);
  }

  forget(ids: readonly string[]): void {
    for (const id of ids) {
      this.known.remove(id);
      const group = this.desired.groups.get(id);
      if (group === undefined || group.members.size > 0) this.#judge(id, true);
      else {
        this.desired.groups.delete(id);
        this.#tracked.delete(id);
      }
    }
  }

  takeKept(id: string, upstream: JsonObject | null, route: JsonObject | null): void {
    const group = this.desired.groups.get(id);
    if (group === undefined) return;
    group.kept = { upstream, route };
    this.#track(id).needed = false;
    this.#review(group.identity);
    this.#judge(id, true);
  }

  /** Answers a credit of the writer. */
  want(id: string, resource: Resource, pairs: readonly Pair[] | undefined): FromShard {
    const group = this.desired.groups.get(id);
    const view = group && this.#view(group);
    const tracked = this.#track(id);
    tracked.told[resource] = false;
    const body = group && view && this.#wantedBody(group, view, tracked, resource, pairs);
    if (body === undefined) {
      tracked.word = "";
      // The writer asks again: what was handed out before is not on its way any more.
      if (tracked[resource].state === "sent") tracked[resource].state = "dirty";
      this.#judge(id);
      return { type: "stale", id, resource };
    }
    tracked[resource].digest = body.digest;
    if (isStanding(this.known.get(id)?.[resource], body)) {
      tracked[resource].state = "clean";
      return { type: "same", id, resource };
    }
    if (resource === "upstream") return handOut(id, body, view, tracked);
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
    if (!this.#isCovered(group.identity) || !this.#settling.isSettled(group.identity)) return undefined;
    if (!this.#nodeUsers.clustersOf(group.id).every((cluster) => this.#settling.areNodesSettled(cluster)))
      return undefined;
    if ((view.type !== "live" && view.type !== "frozen") || this.#isUnclear(group)) return undefined;
    if (resource === "upstream")
      return view.missing ? undefined : this.#contents.upstream(group, view, tracked);
    if (view.type !== "live" || pairs === undefined || !samePairs(view.settings.pairs, pairs))
      return undefined;
    return this.#contents.route(group, view.settings);
  }

  /** Nothing of the cluster is spoken of until it has been listed anew, and then everything is. */
  #lose(cluster: string): void {
    this.#settling.lose(cluster);
    this.#strays.forget(cluster);
    this.desired.translation.feeds.slices.lose(cluster);
    this.desired.translation.feeds.nodes.lose(cluster);
    for (const id of this.desired.lose(cluster)) {
      if ((this.desired.groups.get(id)?.members.size ?? 0) > 0) continue;
      this.desired.groups.delete(id);
      this.#tracked.delete(id);
      this.#nodeUsers.note(id, []);
    }
  }

  #review(place: Place): void {
    for (const id of this.desired.reviewKeeping(place)) this.#judge(id, true);
    for (const { id, identity } of this.desired.unclear(place)) {
      this.desired.group(id, identity);
      this.#need({ id, identity }, this.#track(id));
    }
  }

  /** Says what a group means now, if that is news. `verify`: its content is built and compared, not presumed changed. */
  #judge(id: string, verify = false): void {
    const known = this.known.get(id);
    const group = this.desired.groups.get(id) ?? (known && this.desired.group(id, known.identity));
    if (group === undefined) return;
    if (!this.#isCovered(group.identity) || this.#settling.postpone(group.identity, id)) return;
    const tracked = this.#track(id);
    const view = this.#view(group);
    if (this.#waitsForNodes(group, view)) return;
    tracked.isPlain =
      view.type === "live" && [...group.members.values()].every(({ paused }) => paused === false);
    if (this.#isUnclear(group)) return this.#need(group, tracked);
    if (view.type === "live" || view.type === "frozen") {
      if (this.#contents.judge(group, view, tracked, verify) === "missing") this.#need(group, tracked);
    } else
      Object.assign(tracked, {
        ...newTracked(),
        route: tracked.route,
        routeKey: tracked.routeKey,
        word: tracked.word,
        at: tracked.at,
        needed: tracked.needed,
      });
    const body = this.#mayHandOut > 0 ? unaskedBody(group, view, tracked, known, this.#contents) : undefined;
    this.#say(group, view, tracked);
    if (body !== undefined) {
      this.#mayHandOut--;
      this.#bodies.push(handOut(id, body, view, tracked));
    }
    if (group.members.size === 0 && known === undefined) {
      this.desired.groups.delete(id);
      this.#tracked.delete(id);
    }
  }

  #waitsForNodes(group: Group, view: View): boolean {
    const clusters = nodeClustersOf(group, view.type === "live" ? view.settings : undefined);
    this.#nodeUsers.note(group.id, clusters);
    return clusters.some((cluster) => this.#settling.postponeForNodes(cluster, group.id));
  }

  #say(group: Group, view: View, tracked: Tracked): void {
    const change = changeOf(group, view, tracked, this.known.of(group.id));
    const { stand } = change;
    const word = wordOf(change);
    const upstream = (stand.type === "live" || stand.type === "frozen") && stand.upstream;
    const route = stand.type === "live" && stand.route;
    const news = (upstream && !tracked.told.upstream) || (route && !tracked.told.route);
    if (word === tracked.word && !news) return;
    Object.assign(tracked, { word, told: { upstream, route }, at: undefined });
    this.#changes.push(change);
  }

  #view(group: Group): View {
    const view = viewGroup(group, this.known.of(group.id), this.desired.translation);
    if (view.type === "absent" && view.cause === "gone" && this.#isDisowned(group))
      return { ...view, grace: false, cause: "undeclared" };
    const keepsUnknown = [...group.members.values()].some((member) => member.paused !== false);
    if (view.type === "live" && !view.missing && !keepsUnknown) {
      if (this.#tracked.get(group.id)?.oversize === undefined) group.kept = undefined;
    }
    return view;
  }

  #isCovered(identity: Identity): boolean {
    return covers(this.desired.translation, identity);
  }

  /** It stands, and who is in it is open: nothing is said of it, nor written, before a look at it. */
  #isUnclear(group: Group): boolean {
    if (this.known.get(group.id) !== undefined) return this.desired.isUnclear(group);
    this.desired.nothingStands(group);
    return false;
  }

  /** Its object is there and does not declare it: no matter whether this shard saw it taken out. */
  #isDisowned({ identity }: Group): boolean {
    return identity.share === "none" && this.desired.source(identity) !== undefined;
  }

  #need({ id, identity }: Need, tracked: Tracked): void {
    if (tracked.needed) return;
    tracked.needed = true;
    this.#needs.push({ id, identity });
  }

  #track(id: string): Tracked {
    const held = this.#tracked.get(id);
    if (held !== undefined) return held;
    const tracked = newTracked();
    this.#tracked.set(id, tracked);
    return tracked;
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

function isTranslatedOtherwise(was: ClusterTranslation, now: ClusterTranslation): boolean {
  const namespaces = ({ namespaces = [] }: ClusterTranslation): string => namespaces.toSorted().join();
  return (
    now.weight !== was.weight ||
    now.addressFamily !== was.addressFamily ||
    namespaces(now) !== namespaces(was)
  );
}

function differsFrom(standing: Standing | undefined, content: Content): boolean {
  return content.digest !== undefined && standing?.digest !== content.digest;
}

/** The content that was built last is what stands now. */
function settleContent(standing: Standing | undefined, content: Content): void {
  if (content.digest !== undefined && standing?.digest === content.digest) content.state = "clean";
}

function samePairs(a: readonly Pair[], b: readonly Pair[]): boolean {
  return a.length === b.length && a.every((pair, index) => pair === b[index]);
}
