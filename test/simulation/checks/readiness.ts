import type { Identity } from "../../../src/apisix/types.ts";
import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import type { SourceFacts } from "../oracle/declared.ts";
import { serving } from "../oracle/endpoints.ts";
import { declaredIn, mayBeKept } from "../oracle/expected.ts";
import type { Truth } from "../oracle/expected.ts";
import type { Body } from "../oracle/ownership.ts";
import type { Meaning } from "../truth-history.ts";
import { isGiven, selectionOf, viaOf } from "./asked-for.ts";

/**
 * Whether, at one moment, what declares the group gave it no nodes though what they come from was there: Pods, or slices
 * of the Service, none of them ready, in a cluster that is in the configuration and not drained. Of a fleet group: in this
 * cluster.
 */
export function isMerelyUnready({ groups, truth }: Meaning, id: string): boolean {
  const group = groups.get(id);
  if (group === undefined || !isTakenIn(truth)) return false;
  if (group.nodes.size > 0 || group.mustIps.size > 0 || group.choices.length > 0) return false;
  const { kind } = group.identity;
  return kind === "pod" || (group.onNodes === false && hasSlices(group.identity, truth));
}

/**
 * Likewise of the group of one Pod or Service that did not declare it, and whose annotation, or the entry of that name in
 * it, could not be read: no route that stands for it counts as taken out then, also not one that had been before, and that
 * the guard held (PRODUCT.md, "Grammar"). What its nodes are chosen by is what stands in `upstream`. Never of a paused one,
 * nor where Nodes are chosen.
 */
export function isUnreadAndUnready(
  { groups, truth }: Meaning,
  id: string,
  identity: Identity,
  upstream: Body,
): boolean {
  if (groups.has(id) || identity.share !== "none" || !isTakenIn(truth)) return false;
  if (!mayBeKept(identity, truth)) return false;
  const source = [...declaredIn(truth)].map(({ pod }) => pod).find((pod) => isOf(pod, identity));
  if (source === undefined || source.paused) return false;
  const selection = selectionOf(upstream);
  const { endpoints } = source;
  if (endpoints === undefined) return !isGiven(source, selection);
  const isAll = selection?.endsWith(",all") === true;
  const isByEndpoints = viaOf(selection) === "endpoint" && hasSlices(identity, truth);
  return isByEndpoints && serving(endpoints, isAll).length === 0;
}

function isTakenIn({ clusters }: Truth): boolean {
  return clusters.every(({ known, weight }) => known && weight > 0);
}

function isOf(source: SourceFacts, { kind, namespace, name }: Identity): boolean {
  return source.kind === kind && source.namespace === namespace && source.name === name;
}

function hasSlices({ namespace, name }: Identity, { clusters }: Truth): boolean {
  const isSliceOf = ({ metadata: { labels, ...of } }: KubeObject): boolean =>
    of.namespace === namespace &&
    labels?.["kubernetes.io/service-name"] === name &&
    labels["apisix-translator.io/enabled"] === "true";
  return clusters.some(({ slices }) => slices.some(isSliceOf));
}
