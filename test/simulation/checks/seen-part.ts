import type { Expected, Truth } from "../oracle/expected.ts";
import { expectedOf } from "../oracle/expected.ts";
import type { Body } from "../oracle/ownership.ts";
import { nodesOf } from "../oracle/ownership.ts";

interface SeenPart {
  readonly group: Expected;
  readonly upstream: Body;
}

/**
 * What is left of a fleet group, and of its upstream as it stands, without the clusters that are out of sight: those keep
 * in APISIX what stands there, whatever their objects mean, and nothing that had not been written before. Undefined: no
 * cluster in sight has a part in it.
 */
export function seenPart(id: string, upstream: Body, truth: Truth): SeenPart | undefined {
  const clusters = truth.clusters.filter(({ known }) => known);
  const group = expectedOf({ ...truth, clusters }).get(id);
  if (group === undefined) return undefined;
  const unseen = new Set(truth.clusters.filter(({ known }) => !known).map(({ name }) => name));
  const nodes = nodesOf(upstream).filter(({ metadata }) => !unseen.has(metadata?.cluster ?? ""));
  return { group, upstream: { ...upstream, nodes } };
}
