import type { KubeObject, StringMap } from "./kube-object.ts";
import { sourceAnnotations, sourceLabels, type Routes } from "./source-metadata.ts";

interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: "TCP" | "UDP" | "SCTP";
  readonly targetPort?: number | string;
  readonly nodePort?: number;
}

export interface ServiceOptions {
  /** Default `default`. */
  readonly namespace?: string;
  readonly name: string;
  /** Default one: `http`, 80 → `http`. */
  readonly ports?: readonly ServicePort[];
  /** Default `ClusterIP`. */
  readonly type?: "ClusterIP" | "NodePort" | "LoadBalancer" | "ExternalName";
  /** `None` for a headless one. Default 10.96.0.10. */
  readonly clusterIP?: string;
  readonly externalName?: string;
  readonly externalTrafficPolicy?: "Cluster" | "Local";
  readonly publishNotReadyAddresses?: boolean;
  /** Null: none, as where slices are written by hand. Default `{app: NAME}`. */
  readonly selector?: StringMap | null;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  /** Sets label and annotation that expose it; a string is the annotation's text as it is. */
  readonly routes?: Routes;
  readonly uid?: string;
  readonly created?: string;
}

export interface Service extends KubeObject {
  readonly spec: object;
  readonly status: object;
}

/** A Service as API servers store it. */
export function service(options: ServiceOptions): Service {
  const { name, uid, created } = options;
  const type = options.type ?? "ClusterIP";
  const ports = options.ports ?? [{ name: "http", port: 80, targetPort: "http" }];
  const clusterIP = options.clusterIP ?? "10.96.0.10";
  const selector = options.selector === null ? {} : { selector: options.selector ?? { app: name } };
  const addresses = type === "ExternalName" ? {} : { clusterIP, clusterIPs: [clusterIP] };
  const external = type === "NodePort" || type === "LoadBalancer";
  return {
    metadata: {
      name,
      namespace: options.namespace ?? "default",
      ...(uid === undefined ? {} : { uid }),
      ...(created === undefined ? {} : { creationTimestamp: created }),
      labels: { app: name, ...options.labels, ...sourceLabels(options.routes) },
      annotations: { ...options.annotations, ...sourceAnnotations(options.routes) },
      managedFields: serviceManagedFields,
    },
    spec: {
      ports: ports.map((port) => ({ targetPort: port.port, protocol: "TCP", ...port })),
      ...selector,
      ...addresses,
      type,
      sessionAffinity: "None",
      ...(external ? { externalTrafficPolicy: options.externalTrafficPolicy ?? "Cluster" } : {}),
      ...(options.externalName === undefined ? {} : { externalName: options.externalName }),
      ...(options.publishNotReadyAddresses === true ? { publishNotReadyAddresses: true } : {}),
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
    },
    status: { loadBalancer: {} },
  };
}

const serviceManagedFields = [
  {
    manager: "kubectl-client-side-apply",
    operation: "Update",
    apiVersion: "v1",
    time: "2026-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:metadata": { "f:annotations": { ".": {} }, "f:labels": { ".": {}, "f:app": {} } },
      "f:spec": { "f:internalTrafficPolicy": {}, "f:ports": {}, "f:selector": {}, "f:type": {} },
    },
  },
] as const;
