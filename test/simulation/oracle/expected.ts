import type { Identity } from "../../../src/apisix/types.ts";
import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { declaredBy } from "./declared.ts";
import type { Declared, DeclaredSettings, SourceFacts, Policy } from "./declared.ts";
import { addressesOf, endpointsIn } from "./endpoints.ts";
import { nodesOf } from "./expected-nodes.ts";
import type { GivenNodes, Member } from "./expected-nodes.ts";
import { hostNodesIn } from "./host-nodes.ts";
import { idOf, labelsOf } from "./ownership.ts";
import type { Body } from "./ownership.ts";

/**
 * What one group means, from the objects alone.
 *
 * `live`: `pairs`, `route`, `upstream` and `nodes` say what stands once its pairs are free. `frozen`: what stands stays,
 * but for its nodes. `open`: what stands depends on what was before, and nothing is expected of it.
 */
export interface Expected extends GivenNodes {
  readonly id: string;
  readonly identity: Identity;
  readonly state: "live" | "frozen" | "open";
  /** The one Pod is paused: nothing at all is written. */
  readonly untouchable: boolean;
  /** APISIX will refuse what is declared, once it is asked: until then it is in conflict as others are. */
  readonly refused: boolean;
  readonly age: Age | undefined;
  readonly pairs: readonly string[];
  readonly route: Body;
  readonly upstream: Body;
}

export interface Age {
  readonly created: number;
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/** What is true of one cluster. */
export interface ClusterTruth {
  readonly name: string;
  readonly uid: string;
  readonly pods: readonly KubeObject[];
  readonly services: readonly KubeObject[];
  readonly slices: readonly KubeObject[];
  /** Undefined where nothing rests on them. */
  readonly nodes: readonly KubeObject[] | undefined;
  /** Of the cluster's nodes; 0: it has none. */
  readonly weight: number;
  /** The cluster is in the configuration, as the one that it is; otherwise everything of it stays as it stands. */
  readonly known: boolean;
}

/** What is true of one cluster, or of all. */
export interface Truth {
  readonly instance: string;
  readonly policy: Policy;
  readonly clusters: readonly ClusterTruth[];
}

interface Gathered {
  readonly identity: Identity;
  readonly members: Member[];
}

/**
 * Every group that is declared, by id. Of one cluster's truth alone, a fleet group is what that cluster's part in it
 * would be by itself.
 */
export function expectedOf(truth: Truth): Map<string, Expected> {
  const groups = new Map<string, Gathered>();
  const keepers: Declared[] = [];
  for (const declared of declaredIn(truth)) {
    keepers.push(declared);
    for (const entry of declared.entries) {
      const id = idOf(truth.instance, entry.identity);
      const group = groups.get(id) ?? { identity: entry.identity, members: [] };
      groups.set(id, group);
      if (!group.members.some(({ pod }) => pod === declared.pod))
        group.members.push({ ...entry, pod: declared.pod });
    }
  }
  const expected = new Map<string, Expected>();
  for (const [id, group] of groups) {
    const meant = expect(id, group, truth, keepers);
    if (meant === undefined) continue;
    // A cluster that has left is unknown, and so is every group in which it has or may have a part.
    const isWhole = truth.clusters.every(({ known }) => known);
    expected.set(
      id,
      isWhole ? meant : { ...meant, state: "open", untouchable: group.identity.share !== "fleet" },
    );
  }
  return expected;
}

export function* declaredIn({ clusters, policy }: Truth): Generator<Declared, void, void> {
  for (const { name, pods, services, slices, nodes } of clusters) {
    const hostNodes = nodes && hostNodesIn(nodes);
    for (const object of pods) {
      const declared = declaredBy(object, name, policy);
      if (declared !== undefined) yield declared;
    }
    for (const object of services) {
      const declared = declaredBy(object, name, policy);
      if (declared === undefined) continue;
      const endpoints = endpointsIn(slices, declared.pod);
      yield { ...declared, pod: { ...declared.pod, endpoints, hostNodes } };
    }
  }
}

/** Whether a Pod may keep a group that nothing declares. */
export function mayBeKept(identity: Identity, truth: Truth): boolean {
  if (truth.clusters.some(({ known }) => !known)) return true;
  return [...declaredIn(truth)].some((declared) => mayKeep(declared, identity));
}

/**
 * A Pod that is paused, or whose annotation cannot be read, may belong to any group that it can have belonged to before;
 * one with an invalid entry to those of that entry's name.
 */
function mayKeep({ pod, keepsAll, entries }: Declared, { kind, namespace, name, route }: Identity): boolean {
  if (pod.kind !== kind || pod.namespace !== namespace || (name !== "" && pod.name !== name)) return false;
  const isInvalid = entries.some((entry) => entry.state === "Invalid" && entry.identity.route === route);
  return keepsAll || pod.paused || isInvalid;
}

export function compareAges(a: Age, b: Age): number {
  return (
    a.created - b.created ||
    compare(a.cluster, b.cluster) ||
    compare(a.namespace, b.namespace) ||
    compare(a.name, b.name)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Undefined: nothing of it may stand. */
function expect(
  id: string,
  { identity, members }: Gathered,
  truth: Truth,
  keepers: readonly Declared[],
): Expected | undefined {
  const isPaused = members.some(({ pod }) => pod.paused);
  if (!isPaused && members.every(({ state }) => state === "Forbidden")) return undefined;
  const sorted = members.toSorted((a, b) => compareAges(a.pod, b.pod));
  const setter = sorted.find(({ state, pod }) => state === "Valid" && pod.living);
  const isUntouchable = isPaused && identity.share === "none";
  // Whether a paused Pod sets the spec, or the next one does, depends on what stands.
  const isOpen = isUntouchable || (setter ?? { pod: { paused: isPaused } }).pod.paused;
  const refused = setter?.settings?.refused === true;
  const state = isOpen || refused ? "open" : setter ? "live" : "frozen";
  const mayIps = new Set(
    keepers.filter((keeper) => mayKeep(keeper, identity)).flatMap(({ pod }) => addressesOf(pod)),
  );
  const settings = state === "live" || refused ? setter?.settings : undefined;
  return {
    ...{ id, identity, state, untouchable: isUntouchable, refused },
    age: setter && ageOf(setter.pod),
    pairs: settings === undefined ? [] : pairsOf(settings),
    route: settings === undefined ? {} : routeBody(id, identity, settings, truth),
    upstream: settings === undefined ? {} : upstreamBody(identity, settings, sorted, truth),
    ...nodesOf(members, setter?.settings, identity, mayIps, truth),
  };
}

function ageOf({ created, cluster, namespace, name }: SourceFacts): Age {
  return { created, cluster, namespace, name };
}

function pairsOf({ hosts, uris }: DeclaredSettings): string[] {
  return hosts.flatMap((host) => uris.map((uri) => `${host} ${uri}`)).toSorted();
}

function titleOf({ cluster, namespace, name, route }: Identity): { name: string; desc: string } {
  const title = [cluster, namespace, name, route].filter((part) => part !== "").join("/");
  return { name: title, desc: title };
}

function routeBody(id: string, identity: Identity, settings: DeclaredSettings, truth: Truth): Body {
  const labels = labelsOf(truth.instance, identity);
  return { ...settings.route, ...titleOf(identity), upstream_id: id, labels };
}

function viaOf({ nodePort }: DeclaredSettings): string {
  return nodePort === undefined ? "endpoint" : "nodePort";
}

function upstreamBody(
  identity: Identity,
  settings: DeclaredSettings,
  members: readonly Member[],
  truth: Truth,
): Body {
  const [first] = members;
  const uids = truth.clusters
    .filter(({ name }) => members.some(({ pod }) => pod.cluster === name))
    .map(({ name, uid }) => [`translator/member.${name}`, uid]);
  const labels: Record<string, string> = {
    ...labelsOf(truth.instance, identity),
    ...(Object.fromEntries(uids) as Record<string, string>),
    "translator/select": `${settings.port},${viaOf(settings)},${settings.publishNotReady ? "all" : "ready"}`,
    ...(identity.share === "none" && first !== undefined ? { "translator/uid": first.pod.uid } : {}),
  };
  return { ...settings.upstream, ...titleOf(identity), labels };
}
