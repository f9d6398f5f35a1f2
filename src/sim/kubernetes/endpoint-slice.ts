import type { KubeObject, StringMap } from "./kube-object.ts";

export interface SliceEndpoint {
  readonly ip: string;
  /** Conditions that are absent stay absent on the wire (nil). */
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
  readonly nodeName?: string;
  readonly zone?: string;
  /** Name of the Pod behind it. */
  readonly pod?: string;
}

interface SlicePort {
  readonly name?: string;
  /** Absent: nil, as the API allows. */
  readonly port?: number;
  readonly protocol?: "TCP" | "UDP" | "SCTP";
  readonly appProtocol?: string;
}

export interface EndpointSliceOptions {
  /** Default `default`. */
  readonly namespace?: string;
  /** The Service: label `kubernetes.io/service-name` and owner. */
  readonly service: string;
  /** Default `SERVICE-abc12`. */
  readonly name?: string;
  readonly endpoints: readonly SliceEndpoint[];
  /** Default one: `http`, 8080. */
  readonly ports?: readonly SlicePort[];
  readonly addressType?: "IPv4" | "IPv6" | "FQDN";
  /** More labels; slices inherit their Service's. `apisix-translator.io/enabled` is among them unless `enabled: false`. */
  readonly labels?: StringMap;
  readonly enabled?: boolean;
}

export interface EndpointSlice extends KubeObject {
  readonly addressType: string;
  readonly endpoints: readonly object[];
  readonly ports: readonly object[];
}

/** A slice as the EndpointSlice controller writes it. */
export function endpointSlice(options: EndpointSliceOptions): EndpointSlice {
  const { service, namespace = "default", addressType = "IPv4" } = options;
  const exposed = options.enabled === false ? {} : { "apisix-translator.io/enabled": "true" };
  return {
    metadata: {
      name: options.name ?? `${service}-abc12`,
      generateName: `${service}-`,
      namespace,
      generation: 1,
      labels: {
        ...exposed,
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        "kubernetes.io/service-name": service,
        ...options.labels,
      },
      annotations: { "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:20Z" },
      managedFields: sliceManagedFields,
    },
    addressType,
    endpoints: options.endpoints.map((endpoint) => written(endpoint, namespace)),
    ports: (options.ports ?? [{ name: "http", port: 8080 }]).map((port) => ({ protocol: "TCP", ...port })),
  };
}

/** The slice with other endpoints; its generation moves, as the API server moves it. */
export function withEndpoints(slice: KubeObject, endpoints: readonly SliceEndpoint[]): KubeObject {
  const { namespace = "default", generation = 1 } = slice.metadata;
  const next = { endpoints: endpoints.map((endpoint) => written(endpoint, namespace)) };
  return { ...slice, ...next, metadata: { ...slice.metadata, generation: generation + 1 } };
}

function written(endpoint: SliceEndpoint, namespace: string): object {
  const { ip, ready, serving, terminating, nodeName, zone, pod } = endpoint;
  return {
    addresses: [ip],
    // JSON drops what is undefined: nil conditions stay nil.
    conditions: { ready, serving, terminating },
    ...(pod === undefined ? {} : { targetRef: { kind: "Pod", namespace, name: pod } }),
    nodeName,
    zone,
  };
}

const sliceManagedFields = [
  {
    manager: "kube-controller-manager",
    operation: "Update",
    apiVersion: "discovery.k8s.io/v1",
    time: "2026-01-01T00:00:20Z",
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:addressType": {},
      "f:endpoints": {},
      "f:metadata": { "f:generateName": {}, "f:labels": { ".": {}, "f:kubernetes.io/service-name": {} } },
      "f:ports": {},
    },
  },
] as const;

/** The slice of another Service; its generation moves, as the API server moves it with labels too. */
export function ofService(slice: KubeObject, service: string): KubeObject {
  const { generation = 1, labels } = slice.metadata;
  return {
    ...slice,
    metadata: {
      ...slice.metadata,
      generation: generation + 1,
      labels: { ...labels, "kubernetes.io/service-name": service },
    },
  };
}
