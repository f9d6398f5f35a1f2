import type { SourceKind } from "../declare/declaration.ts";
import type { ClusterTranslation, Translation } from "../desired/context.ts";
import type { Group } from "../desired/group.ts";
import { holdNodes, letNodesGo } from "../desired/group.ts";
import { sourceKinds, sourcesFedBy, sourcesTouchedBy } from "../store/source-kinds.ts";
import type { Kind } from "../watch/events.ts";
import type { Judge } from "./judge.ts";
import { losesPart } from "./loses-part.ts";
import { nodesOfText } from "./node-text.ts";
import type { Strays } from "./strays.ts";

const everySource = Object.keys(sourceKinds) as SourceKind[];

/** Clusters that come into sight, leave it, change their weight or identity, or are given up for good. */
export class ClusterChanges {
  readonly #judge: Judge;
  readonly #strays: Strays;

  constructor(judge: Judge, strays: Strays) {
    this.#judge = judge;
    this.#strays = strays;
  }

  /** Upstreams name it by its uid. */
  identified(cluster: string, uid: string): void {
    const { uids } = this.#judge;
    const before = uids.get(cluster);
    uids.set(cluster, uid);
    if (before === undefined || before === uid) return;
    for (const id of this.#groupsOf(cluster, everySource)) this.#judge.judge(id, true);
  }

  settle(cluster: string, kind: Kind): void {
    const { desired, known } = this.#judge;
    const { settling } = this.#judge.sights;
    if (!desired.translation.clusters.has(cluster)) return;
    const sources = sourcesFedBy(kind);
    const unseen = sources.filter((source) => !settling.isSettled({ cluster, kind: source }));
    const isDoubted = this.#isDoubted(cluster, kind);
    const ids = new Set(settling.settle(cluster, kind));
    const doubted = isDoubted ? this.#fleetGroupsOf(cluster, sourcesTouchedBy(kind)) : [];
    for (const source of sources) {
      if (!settling.isSettled({ cluster, kind: source })) continue;
      for (const id of known.ofKind(cluster, source))
        if ((desired.groups.get(id)?.members.size ?? 0) === 0) ids.add(id);
      if (unseen.includes(source)) for (const id of known.ofMember(cluster, source)) ids.add(id);
    }
    for (const id of ids) this.#judgeSeen(id, cluster, true);
    for (const id of doubted) if (!ids.has(id)) this.#judgeSeen(id, cluster, false);
  }

  /**
   * A new list of the kind takes objects away. What the cluster has in fleet groups stays as it stands until all of that
   * list is known.
   */
  doubt(cluster: string, kind: Kind): void {
    const { settling } = this.#judge.sights;
    const seen = sourcesTouchedBy(kind).filter((source) => settling.isSettled({ cluster, kind: source }));
    for (const id of this.#restingOn(cluster, kind, seen)) {
      const group = this.#judge.groupOf(id);
      if (group !== undefined && this.#judge.surroundings.sight(group, cluster) === "seen")
        this.#hold(id, cluster);
    }
    settling.doubt(cluster, kind);
  }

  /** The guard lets the part of this cluster go. */
  letGo(id: string, cluster: string): void {
    if (!this.#judge.sights.goneParts.letGo(id, cluster)) return;
    letNodesGo(this.#judge.desired.groups.get(id), cluster);
    this.#judge.judge(id, true);
  }

  unsettle(cluster: string, kind: Kind): void {
    const { settling } = this.#judge.sights;
    const seen = sourcesTouchedBy(kind).filter((source) => settling.isSettled({ cluster, kind: source }));
    const held = this.#restingOn(cluster, kind, seen);
    for (const id of held) this.#hold(id, cluster);
    const ids = new Set([...settling.unsettle(cluster, kind), ...held]);
    for (const id of ids) this.#judge.judge(id, this.#judge.track(id).upstream.state !== "clean");
  }

  /**
   * The configuration has changed. Only what that can touch is looked at: groups of a cluster whose nodes change, or
   * every declaration where what it means may. A cluster that has left is out of sight: its groups stay as they stand.
   */
  configure(translation: Translation): void {
    const { desired } = this.#judge;
    const { settling } = this.#judge.sights;
    const before = desired.translation;
    const left = [...before.clusters.keys()].filter((name) => !translation.clusters.has(name));
    const touched = new Set<string>();
    for (const name of left) for (const id of this.#leave(name)) touched.add(id);
    desired.translation = translation;
    for (const [name, now] of translation.clusters) {
      const was = before.clusters.get(name);
      if (was === undefined) settling.lose(name);
      else if (!isTranslatedOtherwise(was, now)) continue;
      for (const id of this.#groupsOf(name, everySource)) touched.add(id);
    }
    for (const id of touched) this.#judge.judge(id);
    if (translation.key === before.key) return;
    for (const id of desired.reread()) this.#judge.judge(id, true);
  }

  /** Gone for good: nothing of it is kept any more. */
  purge(cluster: string): void {
    const { desired, known } = this.#judge;
    const { settling } = this.#judge.sights;
    settling.purge(cluster);
    this.#forget(cluster);
    const ids = desired.lose(cluster);
    for (const source of everySource) {
      for (const id of known.ofKind(cluster, source)) ids.add(id);
      for (const id of known.ofMember(cluster, source)) ids.add(id);
    }
    for (const id of ids) {
      letNodesGo(desired.groups.get(id), cluster);
      this.#judge.judge(id, true);
    }
  }

  #isDoubted(cluster: string, kind: Kind): boolean {
    const { settling } = this.#judge.sights;
    if (kind === "nodes") return settling.areNodesDoubted(cluster);
    return sourcesFedBy(kind).some((source) => settling.isDoubted({ cluster, kind: source }));
  }

  /** Fleet groups of these kinds of source that rest on this watched kind in this cluster. */
  #restingOn(cluster: string, kind: Kind, sources: readonly SourceKind[]): readonly string[] {
    const onNodes = new Set(kind === "nodes" ? this.#judge.sights.nodeUsers.groupsOf(cluster) : []);
    return [...this.#fleetGroupsOf(cluster, sources)].filter((id) => kind !== "nodes" || onNodes.has(id));
  }

  /** What the group has of the cluster may be seen now. */
  #judgeSeen(id: string, cluster: string, verify: boolean): void {
    this.#holdGonePart(id, cluster);
    const group = this.#judge.desired.groups.get(id);
    if (group !== undefined && this.#judge.surroundings.sight(group, cluster) === "seen")
      letNodesGo(group, cluster);
    this.#judge.judge(id, verify);
  }

  /** The cluster's list is complete, and the group's part is not in it. */
  #holdGonePart(id: string, cluster: string): void {
    const { known, sights, surroundings } = this.#judge;
    const group = this.#judge.groupOf(id);
    const isNamed = known.of(id).members.some(([name]) => name === cluster);
    if (group === undefined || !isNamed || surroundings.sight(group, cluster) !== "seen") return;
    if (losesPart(group, cluster, this.#judge)) sights.goneParts.hold(id, cluster);
  }

  /** Its objects are forgotten, not gone. Returns fleet groups that may mean something else now. */
  #leave(cluster: string): Set<string> {
    const { desired, known } = this.#judge;
    const { settling, goneParts } = this.#judge.sights;
    const fleet = this.#fleetGroupsOf(cluster, everySource);
    for (const id of fleet) {
      this.#hold(id, cluster);
      goneParts.end(id, cluster);
    }
    settling.lose(cluster);
    this.#forget(cluster);
    const ids = desired.lose(cluster);
    // What nothing declared any more, too: the writer forgets what was said of it, and has to hear it again.
    for (const source of everySource) for (const id of known.ofKind(cluster, source)) ids.add(id);
    for (const id of ids) {
      const isEmpty = (desired.groups.get(id)?.members.size ?? 0) === 0;
      if (isEmpty && !fleet.has(id)) this.#judge.drop(id);
    }
    return fleet;
  }

  #forget(cluster: string): void {
    const { feeds } = this.#judge.desired.translation;
    this.#strays.forget(cluster);
    feeds.slices.lose(cluster);
    feeds.nodes.lose(cluster);
  }

  /** What stands for the cluster is remembered, where it is what was written last; else it is read when it is needed. */
  #hold(id: string, cluster: string): void {
    const group = this.#judge.desired.groups.get(id);
    if (group === undefined) return;
    const { upstream, nodes, oversize } = this.#judge.track(id);
    if (upstream.state === "clean" && nodes !== undefined && oversize === undefined) {
      const own = nodesOfText(nodes).filter(({ metadata }) => metadata?.cluster === cluster);
      holdNodes(group, cluster, own);
      return;
    }
    letNodesGo(group, cluster);
    group.kept = undefined;
    // Of what was sent nobody knows whether it stands, also where the answer was lost.
    group.accepted = undefined;
  }

  /** Groups that name the cluster, or have members in it. */
  #groupsOf(cluster: string, sources: readonly SourceKind[]): Set<string> {
    const { desired, known } = this.#judge;
    const ids = desired.groupsOf(cluster);
    for (const source of sources) for (const id of known.ofMember(cluster, source)) ids.add(id);
    return ids;
  }

  #fleetGroupsOf(cluster: string, sources: readonly SourceKind[]): Set<string> {
    const { desired, known } = this.#judge;
    const isMeant = (group: Group | undefined): boolean =>
      group?.identity.share === "fleet" && sources.includes(group.identity.kind);
    const ids = new Set([...desired.groupsOf(cluster)].filter((id) => isMeant(desired.groups.get(id))));
    for (const source of sources) for (const id of known.ofMember(cluster, source)) ids.add(id);
    return ids;
  }
}

function isTranslatedOtherwise(was: ClusterTranslation, now: ClusterTranslation): boolean {
  const namespaces = ({ namespaces: names = [] }: ClusterTranslation): string => names.toSorted().join();
  return (
    now.weight !== was.weight ||
    now.addressFamily !== was.addressFamily ||
    namespaces(now) !== namespaces(was)
  );
}
