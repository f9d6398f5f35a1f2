import type { V1EndpointSlice, V1Node, V1Pod } from "@kubernetes/client-node";

/** What a careful user of an informer would write: the fields that matter, one after the other, and out at the first difference. */
export const differs: {
  readonly endpointslices: (a: V1EndpointSlice, b: V1EndpointSlice) => boolean;
  readonly pods: (a: V1Pod, b: V1Pod) => boolean;
  readonly nodes: (a: V1Node, b: V1Node) => boolean;
} = {
  endpointslices: (a, b) =>
    a.metadata?.labels?.["kubernetes.io/service-name"] !==
      b.metadata?.labels?.["kubernetes.io/service-name"] ||
    a.addressType !== b.addressType ||
    differ(a.endpoints, b.endpoints, (one, other) => {
      const [x, y] = [one.conditions, other.conditions];
      return (
        one.addresses[0] !== other.addresses[0] ||
        x?.ready !== y?.ready ||
        x?.serving !== y?.serving ||
        x?.terminating !== y?.terminating ||
        one.nodeName !== other.nodeName
      );
    }) ||
    differ(a.ports, b.ports, (one, other) => one.name !== other.name || one.port !== other.port),

  pods: (a, b) =>
    a.metadata?.uid !== b.metadata?.uid ||
    a.metadata?.annotations?.["apisix-translator.io/routes"] !==
      b.metadata?.annotations?.["apisix-translator.io/routes"] ||
    a.metadata?.deletionTimestamp !== b.metadata?.deletionTimestamp ||
    a.status?.phase !== b.status?.phase ||
    isReady(a) !== isReady(b) ||
    differ(a.status?.podIPs, b.status?.podIPs, (one, other) => one.ip !== other.ip) ||
    differ(a.spec?.containers, b.spec?.containers, (one, other) =>
      differ(one.ports, other.ports, (x, y) => x.name !== y.name || x.containerPort !== y.containerPort),
    ),

  nodes: (a, b) =>
    differ(
      a.status?.addresses,
      b.status?.addresses,
      (one, other) => one.type !== other.type || one.address !== other.address,
    ),
};

function isReady(pod: V1Pod): boolean {
  return pod.status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

function differ<T>(a: readonly T[] = [], b: readonly T[] = [], one: (a: T, b: T) => boolean): boolean {
  return a.length !== b.length || a.some((item, index) => one(item, b[index] as T));
}
