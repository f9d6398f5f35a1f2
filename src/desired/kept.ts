import { contentDigest } from "../apisix/canonical.ts";
import { selectLabel } from "../apisix/labels.ts";
import type { Json, JsonObject, UpstreamNode } from "../apisix/types.ts";
import type { Known } from "../shard/protocol.ts";
import type { Group } from "./group.ts";
import type { Selection } from "./settings.ts";
import { readSelectLabel } from "./settings.ts";

/** Reads what must be kept from an upstream as it stands in APISIX. Nothing in it is trusted. */

/** The nodes that belong to one member, by their `metadata`; `name` is undefined where members are told apart by cluster. */
export function keptNodes(
  upstream: JsonObject | null,
  cluster: string,
  name: string | undefined,
): UpstreamNode[] {
  return keptNodesOf(upstream, cluster).filter(({ metadata }) => metadata?.name === name);
}

/** The nodes that belong to one cluster. */
export function keptNodesOf(upstream: JsonObject | null, cluster: string): UpstreamNode[] {
  return allKeptNodes(upstream).filter(({ metadata }) => metadata?.cluster === cluster);
}

/** Every node that can be read. */
export function allKeptNodes(upstream: JsonObject | null): UpstreamNode[] {
  const nodes = upstream?.nodes;
  return isArray(nodes) ? nodes.flatMap((node) => readNode(node)) : [];
}

/** The selection last accepted, from the label `translator/select`. */
export function keptSelection(upstream: JsonObject | null): Selection | undefined {
  const labels = upstream?.labels;
  return isObject(labels) ? readSelectLabel(labels[selectLabel]) : undefined;
}

/** The scheme that stands; undefined where none can be read. */
export function keptScheme(upstream: JsonObject | null): string | undefined {
  const scheme = upstream?.scheme;
  return typeof scheme === "string" ? scheme : undefined;
}

/** Settings are known by the bodies alone that were read, and the route of those is not the one that stands. */
export function isKeptOld({ accepted, kept }: Pick<Group, "accepted" | "kept">, { route }: Known): boolean {
  if (accepted !== undefined || kept === undefined) return false;
  const read = kept.route === null ? undefined : contentDigest(kept.route);
  return read !== route?.digest;
}

function readNode(node: Json): UpstreamNode[] {
  if (!isObject(node)) return [];
  const { host, port, weight, metadata } = node;
  if (typeof host !== "string" || typeof port !== "number" || typeof weight !== "number") return [];
  if (!isObject(metadata) || typeof metadata.cluster !== "string") return [{ host, port, weight }];
  const owner = typeof metadata.name === "string" ? { name: metadata.name } : {};
  return [{ host, port, weight, metadata: { cluster: metadata.cluster, ...owner } }];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
