import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import type { Meaning } from "../truth-history.ts";

/**
 * Whether, at one moment, what declares the group gave it no nodes though what they come from was there: Pods, or slices
 * of the Service, none of them ready, in a cluster that is in the configuration and not drained. Of a fleet group: in this
 * cluster.
 */
export function isMerelyUnready({ groups, truth }: Meaning, id: string): boolean {
  const group = groups.get(id);
  if (group === undefined || !truth.clusters.every(({ known, weight }) => known && weight > 0)) return false;
  if (group.nodes.size > 0 || group.mustIps.size > 0 || group.choices.length > 0) return false;
  const { kind, namespace, name } = group.identity;
  if (kind === "pod") return true;
  const isSliceOf = ({ metadata: { labels, ...of } }: KubeObject): boolean =>
    of.namespace === namespace &&
    labels?.["kubernetes.io/service-name"] === name &&
    labels["apisix-translator.io/enabled"] === "true";
  return group.onNodes === false && truth.clusters.some(({ slices }) => slices.some(isSliceOf));
}
