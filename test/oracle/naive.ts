import { createHash } from "node:crypto";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { endpointsOf, type NaiveCluster } from "./naive-cluster.ts";

/**
 * A second translation of Services, deliberately naive: from all objects as they are, over and over, remembering nothing but
 * what stood. It imports nothing of the product but types. Everything is seen; hosts are distinct, so nobody claims
 * another's.
 */

/** What is to stand under one id. */
export interface NaiveGroup {
  readonly settings: NaiveSettings;
  /** `host:port weight owner`, sorted by host, then port. */
  readonly nodes: readonly string[];
}

interface NaiveSettings {
  readonly host: string;
  readonly retries: number;
  readonly scheme: string;
  readonly selection: Selection;
}

interface Selection {
  readonly port: number | string;
  readonly via: string;
  readonly all: boolean;
}

interface Entry {
  readonly name: string;
  readonly port: number | string;
  readonly host: string;
  readonly via?: string;
  readonly publishNotReady?: boolean;
  readonly retries?: unknown;
  readonly scheme?: string;
  readonly share?: string;
}

interface Member {
  readonly id: string;
  readonly route: string;
  readonly cluster: string;
  readonly service: KubeObject;
  /** Undefined: Invalid. */
  readonly settings: NaiveSettings | undefined;
}

interface ServiceSpec {
  readonly type: string;
  readonly externalTrafficPolicy?: string;
  readonly ports: readonly {
    readonly name?: string;
    readonly port: number;
    readonly nodePort?: number;
    readonly protocol: string;
  }[];
}

export class Naive {
  readonly #clusters: ReadonlyMap<string, NaiveCluster>;
  #stood = new Map<string, NaiveGroup>();
  /** Object → what it was a member of. */
  #members = new Map<string, readonly Member[]>();

  constructor(clusters: ReadonlyMap<string, NaiveCluster>) {
    this.#clusters = clusters;
  }

  /** What is to stand now that everything has been written. */
  settle(): ReadonlyMap<string, NaiveGroup> {
    const now = this.#read();
    const groups = new Map<string, Member[]>();
    for (const member of [...now.values()].flat())
      groups.set(member.id, [...(groups.get(member.id) ?? []), member]);
    const stands = new Map<string, NaiveGroup>();
    for (const [id, members] of groups) {
      const group = this.#group(members, this.#stood.get(id));
      if (group !== undefined) stands.set(id, group);
    }
    this.#stood = stands;
    return stands;
  }

  /** What each object is a member of: of what it does not declare any more, only of what stood. */
  #read(): ReadonlyMap<string, readonly Member[]> {
    const now = new Map<string, readonly Member[]>();
    for (const [cluster, { services }] of this.#clusters) {
      for (const [name, service] of services) {
        const key = `${cluster}/${name}`;
        const before = (this.#members.get(key) ?? []).filter(({ id }) => this.#stood.has(id));
        now.set(key, this.#membersOf(cluster, service, before));
      }
    }
    this.#members = now;
    return now;
  }

  #membersOf(cluster: string, service: KubeObject, before: readonly Member[]): readonly Member[] {
    const text = service.metadata.annotations?.["apisix-translator.io/routes"];
    if (text === undefined) return [];
    const keep = (kept: readonly Member[]): Member[] =>
      kept.map((member) => ({ ...member, service, settings: undefined }));
    let entries: readonly Entry[];
    try {
      entries = JSON.parse(text) as readonly Entry[];
    } catch {
      return keep(before);
    }
    const members = entries.map((entry) => {
      const { name: route, share = "none" } = entry;
      const isFleet = share === "fleet";
      const id = idOf(isFleet ? "fleet" : "none", isFleet ? "" : cluster, service, route);
      return { id, route, cluster, service, settings: settingsOf(entry, service) };
    });
    // What stands under a name stays, whatever an entry of that name asks for that cannot be.
    const broken = members.filter(({ settings }) => settings === undefined).map(({ route }) => route);
    const ids = members.map(({ id }) => id);
    return [
      ...members,
      ...keep(before.filter(({ id, route }) => broken.includes(route) && !ids.includes(id))),
    ];
  }

  #group(members: readonly Member[], stood: NaiveGroup | undefined): NaiveGroup | undefined {
    const [setter] = members
      .filter(({ settings, service }) => settings !== undefined && !isEnding(service))
      .sort((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1));
    const settings = setter?.settings ?? stood?.settings;
    if (settings === undefined) return undefined;
    const nodes = new Map<string, string>();
    for (const member of members) {
      const { cluster, service, settings: own } = member;
      if (own !== undefined && own.scheme !== settings.scheme) continue;
      const isFleet = member.id === idOf("fleet", "", service, member.route);
      for (const node of this.#nodesOf(cluster, service, (own ?? settings).selection)) {
        const owner = isFleet ? cluster : "";
        const other = nodes.get(node);
        if (other === undefined || owner < other) nodes.set(node, owner);
      }
    }
    return { settings, nodes: [...nodes].map(([node, owner]) => `${node} 100 ${owner}`).sort(byHostAndPort) };
  }

  #nodesOf(cluster: string, service: KubeObject, { port, via, all }: Selection): string[] {
    const spec = service.spec as ServiceSpec;
    const found = portOf(spec, port);
    if (found === undefined || spec.type === "ExternalName") return [];
    const endpoints = endpointsOf(this.#cluster(cluster), service.metadata.name, found.name ?? "", all);
    if (via === "endpoint") return [...new Set(endpoints.map(({ node }) => node))];
    if (found.nodePort === undefined) return [];
    const { nodes, family } = this.#cluster(cluster);
    const hosts: string[] = [];
    for (const [name, node] of nodes) {
      if (node.metadata.labels?.["node.kubernetes.io/exclude-from-external-load-balancers"] !== undefined)
        continue;
      const isLocal = spec.externalTrafficPolicy === "Local";
      if (isLocal && !endpoints.some(({ on }) => on === name)) continue;
      const { addresses } = node.status as { addresses: { type: string; address: string }[] };
      for (const { type, address } of addresses) {
        const isIPv6 = address.includes(":");
        if (type !== "InternalIP" || (family !== "dual" && isIPv6 !== (family === "IPv6"))) continue;
        hosts.push(`${isIPv6 ? `[${address}]` : address}:${found.nodePort}`);
      }
    }
    return hosts;
  }

  #cluster(name: string): NaiveCluster {
    const cluster = this.#clusters.get(name);
    if (cluster === undefined) throw new Error(`no cluster ${name}`);
    return cluster;
  }
}

function settingsOf(entry: Entry, service: KubeObject): NaiveSettings | undefined {
  const { retries = 1, scheme = "http", via = "endpoint", port, host } = entry;
  const spec = service.spec as ServiceSpec;
  const found = portOf(spec, port);
  if (typeof retries !== "number" || spec.type === "ExternalName" || found === undefined) return undefined;
  if (via === "nodePort" && found.nodePort === undefined) return undefined;
  return { host, retries, scheme, selection: { port, via, all: entry.publishNotReady ?? false } };
}

function portOf({ ports }: ServiceSpec, wanted: number | string): ServiceSpec["ports"][number] | undefined {
  return ports.find(
    ({ name, port, protocol }) => protocol === "TCP" && (typeof wanted === "number" ? port : name) === wanted,
  );
}

function idOf(share: string, cluster: string, service: KubeObject, route: string): string {
  const { namespace = "", name } = service.metadata;
  const text = JSON.stringify(["default", share, cluster, "service", namespace, name, route]);
  return `t-${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
}

function isEnding(service: KubeObject): boolean {
  return service.metadata.deletionTimestamp !== undefined;
}

function ageOf({ service, cluster }: Member): string {
  const { creationTimestamp, namespace, name } = service.metadata;
  return [creationTimestamp, cluster, namespace, name].join(" ");
}

function byHostAndPort(a: string, b: string): number {
  const [[hostA, portA], [hostB, portB]] = [a, b].map(
    (node) => /^(.*):(\d+) /.exec(node)?.slice(1) ?? [],
  ) as [[string, string], [string, string]];
  return hostA < hostB ? -1 : hostA > hostB ? 1 : Number(portA) - Number(portB);
}
