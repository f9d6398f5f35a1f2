import type { Identity } from "../../../src/apisix/types.ts";
import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { declaredBy } from "./declared.ts";
import type { Declared, DeclaredEntry, DeclaredSettings, PodFacts, Policy } from "./declared.ts";
import { idOf, labelsOf } from "./ownership.ts";
import type { Body } from "./ownership.ts";

/**
 * What one group means, from the objects alone.
 *
 * `live`: `pairs`, `route`, `upstream` and `nodes` say what stands once its pairs are free. `frozen`: what stands stays,
 * but for its nodes. `open`: what stands depends on what was before, and nothing is expected of it.
 */
export interface Expected {
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
  /** `host:port weight owner` of each node that must be there. */
  readonly nodes: ReadonlySet<string>;
  /** Addresses that may or may not be among the nodes, by any port; those of `must` have to be, by some port. */
  readonly mayIps: ReadonlySet<string>;
  readonly mustIps: ReadonlySet<string>;
}

export interface Age {
  readonly created: number;
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Truth {
  readonly instance: string;
  readonly policy: Policy;
  /** Of the cluster's nodes; 0: it has none. */
  readonly weight: number;
  /** The cluster is in the configuration; otherwise everything of it stays as it stands. */
  readonly configured: boolean;
  readonly cluster: string;
  readonly uid: string;
  readonly pods: readonly KubeObject[];
}

interface Member extends DeclaredEntry {
  readonly pod: PodFacts;
}

interface Gathered {
  readonly identity: Identity;
  readonly members: Member[];
}

/** Every group of one cluster that is declared, by id. */
export function expectedOf(truth: Truth): Map<string, Expected> {
  const groups = new Map<string, Gathered>();
  const keepers: Declared[] = [];
  for (const object of truth.pods) {
    const declared = declaredBy(object, truth.cluster, truth.policy);
    if (declared === undefined) continue;
    keepers.push(declared);
    for (const entry of declared.entries) {
      const id = idOf(truth.instance, entry.identity);
      const group = groups.get(id) ?? { identity: entry.identity, members: [] };
      groups.set(id, group);
      if (!group.members.some(({ pod }) => pod.name === declared.pod.name))
        group.members.push({ ...entry, pod: declared.pod });
    }
  }
  const expected = new Map<string, Expected>();
  for (const [id, group] of groups) {
    const meant = expect(id, group, truth, keepers);
    if (meant === undefined) continue;
    expected.set(id, truth.configured ? meant : { ...meant, state: "open", untouchable: true });
  }
  return expected;
}

/** Whether a Pod may keep a group that nothing declares. */
export function mayBeKept(identity: Identity, truth: Truth): boolean {
  if (!truth.configured) return true;
  return truth.pods.some((object) => {
    const declared = declaredBy(object, truth.cluster, truth.policy);
    return declared !== undefined && mayKeep(declared, identity);
  });
}

/**
 * A Pod that is paused, or whose annotation cannot be read, may belong to any group that it can have belonged to before;
 * one with an invalid entry to those of that entry's name.
 */
function mayKeep({ pod, keepsAll, entries }: Declared, { share, namespace, name, route }: Identity): boolean {
  if (pod.namespace !== namespace || (share === "none" && pod.name !== name)) return false;
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
    keepers.filter((keeper) => mayKeep(keeper, identity)).flatMap(({ pod: { ip } }) => ip ?? []),
  );
  const settings = state === "live" || refused ? setter?.settings : undefined;
  return {
    ...{ id, identity, state, untouchable: isUntouchable, refused },
    age: setter && ageOf(setter.pod),
    pairs: settings === undefined ? [] : pairsOf(settings),
    route: settings === undefined ? {} : routeBody(id, identity, settings, truth),
    upstream: settings === undefined ? {} : upstreamBody(identity, settings, sorted, truth),
    ...nodesOf(members, setter?.settings, identity, mayIps, truth.weight),
  };
}

function ageOf({ created, cluster, namespace, name }: PodFacts): Age {
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

function upstreamBody(
  identity: Identity,
  settings: DeclaredSettings,
  members: readonly Member[],
  truth: Truth,
): Body {
  const [first] = members;
  const labels: Record<string, string> = {
    ...labelsOf(truth.instance, identity),
    [`translator/member.${truth.cluster}`]: truth.uid,
    "translator/select": `${settings.port},endpoint,${settings.publishNotReady ? "all" : "ready"}`,
    ...(identity.share === "none" && first !== undefined ? { "translator/uid": first.pod.uid } : {}),
  };
  return { ...settings.upstream, ...titleOf(identity), labels };
}

function nodesOf(
  members: readonly Member[],
  settings: DeclaredSettings | undefined,
  identity: Identity,
  keptIps: ReadonlySet<string>,
  weight: number,
): Pick<Expected, "nodes" | "mayIps" | "mustIps"> {
  const nodes = new Set<string>();
  const mayIps = new Set(keptIps);
  const mustIps = new Set<string>();
  for (const { pod, state, settings: own } of members) {
    const { ip } = pod;
    if (ip === undefined || state === "Forbidden" || !pod.living || pod.pending) continue;
    if (pod.paused) mayIps.add(ip);
    else if (weight === 0) continue;
    else if (state === "Invalid" || own === undefined) {
      // By the port, and the readiness, that was last accepted.
      if (pod.ready) mustIps.add(ip);
      else mayIps.add(ip);
    } else if (own.scheme !== (settings ?? own).scheme) continue;
    else if (pod.ready || own.publishNotReady) nodes.add(nodeText(ip, own.portNumber, weight, pod, identity));
  }
  return { nodes, mayIps, mustIps };
}

function nodeText(
  ip: string,
  port: number,
  weight: number,
  { cluster, name }: PodFacts,
  { share }: Identity,
): string {
  return `${ip}:${port} ${weight} ${share === "none" ? "" : `${cluster}/${name}`}`;
}
