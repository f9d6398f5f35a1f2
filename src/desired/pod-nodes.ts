import { isIPv4, isIPv6 } from "node:net";
import type { UpstreamNode } from "../apisix/types.ts";
import type { PodProjection } from "../store/projection.ts";

import type { Feeds } from "./feeds.ts";
import type { NodeChoice } from "./node-addresses.ts";

/** Configuration of `via: nodePort`. */
export type NodePortOptions = Pick<NodeChoice, "address" | "maxNodes">;

export type AddressFamily = "IPv4" | "IPv6" | "dual";

/** What a source's nodes depend on besides the source. */
export interface NodeContext {
  readonly cluster: string;
  readonly addressFamily: AddressFamily;
  /** 0 takes the nodes out: APISIX would still send traffic to nodes whose weights are all 0. */
  readonly weight: number;
  /** Groups that several objects share name each node's owner. */
  readonly owned: boolean;
  readonly nodePort: NodePortOptions;
  readonly feeds: Feeds;
}

/** A living member counts for a group's spec (PRODUCT.md, "Groups"). */
export function isLiving(pod: PodProjection): boolean {
  return !pod.terminating && pod.phase !== "Succeeded" && pod.phase !== "Failed";
}

/** The port that a declaration means on this Pod; undefined where no container has a port of that name. */
export function podPort(pod: PodProjection, port: number | string): number | undefined {
  if (typeof port === "number") return port;
  return pod.ports.find(([name]) => name === port)?.[1];
}

/** Why a cluster gives no nodes: an operator has drained it; `""`: it is not for that. */
export function whyDrained({ cluster, weight }: NodeContext): string {
  return weight === 0 ? `clusters[].weight of ${cluster} is 0, which takes its nodes out` : "";
}

/** Why `podNodes` has none, as a clause; `""`: it has some. */
export function whyNoPodNodes(pod: PodProjection, publishNotReady: boolean, context: NodeContext): string {
  if (context.weight === 0) return whyDrained(context);
  if (pod.terminating) return "the Pod is terminating";
  if (!isLiving(pod) || pod.phase === "Pending") return `the Pod is ${pod.phase}`;
  if (!pod.ready && !publishNotReady) return "the Pod is not ready";
  const { addressFamily: family } = context;
  if (hostsOf(pod.ips, family).length > 0) return "";
  return `the Pod has no ${family === "dual" ? "" : `${family} `}address`;
}

/** The nodes that a Pod gives (PRODUCT.md, "Which nodes"). */
export function podNodes(
  pod: PodProjection,
  port: number,
  publishNotReady: boolean,
  context: NodeContext,
): UpstreamNode[] {
  if (!isLiving(pod) || pod.phase === "Pending" || context.weight === 0) return [];
  if (!pod.ready && !publishNotReady) return [];
  const metadata = context.owned ? { metadata: { cluster: context.cluster, name: pod.name } } : {};
  return hostsOf(pod.ips, context.addressFamily).map((host) => ({
    host,
    port,
    weight: context.weight,
    ...metadata,
  }));
}

function hostsOf(ips: readonly string[], family: AddressFamily): string[] {
  const v4 = family === "IPv6" ? undefined : ips.find((ip) => isIPv4(ip));
  const v6 = family === "IPv4" ? undefined : ips.find((ip) => isIPv6(ip));
  return [...(v4 === undefined ? [] : [v4]), ...(v6 === undefined ? [] : [`[${v6}]`])];
}
