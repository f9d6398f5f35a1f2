import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";

/** A Node of a cluster, as far as it takes traffic from outside. */
export interface HostNode {
  readonly name: string;
  readonly address: string;
  readonly excluded: boolean;
}

export const exclusionLabel = "node.kubernetes.io/exclude-from-external-load-balancers";

export function hostNodesIn(nodes: readonly KubeObject[]): HostNode[] {
  return nodes.flatMap(({ metadata, status }) => {
    const { addresses } = status as { addresses: readonly { type: string; address: string }[] };
    const internal = addresses.filter(({ type }) => type === "InternalIP");
    const excluded = metadata.labels?.[exclusionLabel] !== undefined;
    return internal.map(({ address }) => ({ name: metadata.name, address, excluded }));
  });
}
