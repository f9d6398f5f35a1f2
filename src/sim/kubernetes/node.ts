import type { KubeObject, StringMap } from "./kube-object.ts";

export interface NodeOptions {
  readonly name: string;
  readonly internalIPs?: readonly string[];
  readonly externalIPs?: readonly string[];
  readonly labels?: StringMap;
}

export interface Node extends KubeObject {
  readonly spec: object;
  readonly status: { readonly addresses: readonly object[] };
}

/** A Node with what kubelets report; heartbeats are `bumpNoise`. */
export function node(options: NodeOptions): Node {
  const { name, internalIPs = ["192.168.10.11"], externalIPs = [] } = options;
  return {
    metadata: {
      name,
      labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", ...options.labels },
      annotations: { "node.alpha.kubernetes.io/ttl": "0" },
      managedFields: nodeManagedFields,
    },
    spec: { podCIDR: "10.244.1.0/24", providerID: `example://${name}` },
    status: {
      ...nodeStatus,
      addresses: [
        ...internalIPs.map((address) => ({ type: "InternalIP", address })),
        ...externalIPs.map((address) => ({ type: "ExternalIP", address })),
        { type: "Hostname", address: name },
      ],
    },
  };
}

const at = "2026-01-01T00:00:00Z";

const nodeStatus = {
  capacity: { cpu: "16", memory: "65843160Ki", pods: "110" },
  allocatable: { cpu: "15890m", memory: "62843160Ki", pods: "110" },
  conditions: ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) => ({
    type,
    status: type === "Ready" ? "True" : "False",
    lastHeartbeatTime: at,
    lastTransitionTime: at,
    reason: "KubeletReport",
    message: "reported by kubelet",
  })),
  daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
  nodeInfo: { kubeletVersion: "v1.37.2", operatingSystem: "linux", architecture: "amd64" },
};

const nodeManagedFields = [
  {
    manager: "kubelet",
    operation: "Update",
    apiVersion: "v1",
    time: at,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:status": { "f:conditions": { 'k:{"type":"Ready"}': { "f:lastHeartbeatTime": {} } } } },
    subresource: "status",
  },
] as const;
