import { nodeMark } from "../store/node-mark.ts";
import type { NodeProjection } from "../store/projection.ts";
import type { AddressFamily } from "./pod-nodes.ts";

/** Which addresses of a cluster's Nodes are meant. */
export interface NodeChoice {
  readonly address: "InternalIP" | "ExternalIP";
  readonly family: AddressFamily;
  readonly maxNodes: number;
  /** Who asks: different ones are given different addresses where there are too many. */
  readonly asker: string;
  /** Marks of the only Nodes that count; undefined: all. */
  readonly only: ReadonlySet<number> | undefined;
}

interface Candidate {
  readonly host: string;
  readonly hash: number;
}

interface KnownNode {
  readonly mark: number;
  readonly excluded: boolean;
  readonly addresses: { readonly [Type in NodeChoice["address"]]: readonly Candidate[] };
}

/** The Nodes of the clusters of one shard, and which of their addresses take a Service's traffic. */
export class NodeAddresses {
  readonly #clusters = new Map<string, Map<string, KnownNode>>();

  put(cluster: string, name: string, { internalIPs, externalIPs, excluded }: NodeProjection): void {
    const nodes = this.#clusters.get(cluster) ?? new Map<string, KnownNode>();
    this.#clusters.set(cluster, nodes);
    const addresses = { InternalIP: internalIPs.map(candidate), ExternalIP: externalIPs.map(candidate) };
    nodes.set(name, { mark: nodeMark(name), excluded, addresses });
  }

  remove(cluster: string, name: string): void {
    this.#clusters.get(cluster)?.delete(name);
  }

  lose(cluster: string): void {
    this.#clusters.delete(cluster);
  }

  count(cluster: string): number {
    return this.#clusters.get(cluster)?.size ?? 0;
  }

  /**
   * Addresses that take traffic from outside, IPv6 in brackets, in no order. Where there are more than `maxNodes`, those
   * with the highest rendezvous hash: one Node more or less moves one entry.
   */
  choose(cluster: string, { address, family, maxNodes, asker, only }: NodeChoice): string[] {
    const candidates: Candidate[] = [];
    for (const node of this.#clusters.get(cluster)?.values() ?? []) {
      if (node.excluded || (only !== undefined && !only.has(node.mark))) continue;
      for (const each of node.addresses[address]) if (isOf(each.host, family)) candidates.push(each);
    }
    if (candidates.length <= maxNodes) return unique(candidates);
    const seed = hashOf(asker);
    const scored = candidates.map(({ host, hash }) => ({ host, score: mixed(hash ^ seed) }));
    scored.sort((a, b) => b.score - a.score || (a.host < b.host ? -1 : 1));
    return unique(scored).slice(0, maxNodes);
  }
}

function candidate(ip: string): Candidate {
  return { host: ip.includes(":") ? `[${ip}]` : ip, hash: hashOf(ip) };
}

function isOf(host: string, family: AddressFamily): boolean {
  return family === "dual" || (family === "IPv6") === host.startsWith("[");
}

function unique(candidates: readonly { readonly host: string }[]): string[] {
  return [...new Set(candidates.map(({ host }) => host))];
}

/** FNV-1a over UTF-16 code units. */
function hashOf(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}

/** MurmurHash3's finaliser: one bit of difference changes half of the result. */
function mixed(hash: number): number {
  let value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
