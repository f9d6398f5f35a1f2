import { enabledLabel, pausedAnnotation, routesAnnotation } from "../declare/names.ts";
import type { Kind } from "../watch/events.ts";
import { excludedNodeLabel, mirroredServiceLabel, serviceNameLabel } from "./kubernetes-names.ts";

/** One field of the wire that a projection reads. */
export interface ConsumedField {
  /** Names from the root; `[]` stands for each element of a list. */
  readonly path: readonly string[];
  /** In words: for which elements, or when, it is read. */
  readonly when?: string;
}

const ports = (list: string, when?: string): readonly ConsumedField[] =>
  ["name", "containerPort"].map((field) => ({
    path: ["spec", list, "[]", "ports", "[]", field],
    ...(when === undefined ? {} : { when }),
  }));

/** What every source has: who it is, and what it declares. */
const source: readonly ConsumedField[] = [
  { path: ["metadata", "namespace"] },
  { path: ["metadata", "name"] },
  { path: ["metadata", "uid"] },
  { path: ["metadata", "creationTimestamp"] },
  { path: ["metadata", "deletionTimestamp"], when: "set or not" },
  { path: ["metadata", "labels", enabledLabel] },
  { path: ["metadata", "annotations", routesAnnotation] },
  { path: ["metadata", "annotations", pausedAnnotation] },
];

/**
 * What counts as consumed of a Pod: `projectPod` reads these and nothing else, and a test proves it. Fingerprints of the
 * wire stand on this table, as on those below.
 */
export const consumedPodFields: readonly ConsumedField[] = [
  ...source,
  { path: ["metadata", "ownerReferences", "[]", "controller"] },
  { path: ["metadata", "ownerReferences", "[]", "kind"], when: "controller is true" },
  ...ports("containers"),
  { path: ["spec", "initContainers", "[]", "restartPolicy"] },
  ...ports("initContainers", "restartPolicy is Always"),
  { path: ["status", "phase"] },
  { path: ["status", "conditions", "[]", "type"] },
  { path: ["status", "conditions", "[]", "status"], when: "type is Ready" },
  { path: ["status", "podIPs", "[]", "ip"] },
  { path: ["status", "podIP"], when: "podIPs holds no address" },
];

/** Readiness, addresses and ports of the Pods behind it stand in its EndpointSlices. */
export const consumedServiceFields: readonly ConsumedField[] = [
  ...source,
  { path: ["spec", "type"], when: "ExternalName or not" },
  { path: ["spec", "externalTrafficPolicy"], when: "Local or not" },
  { path: ["spec", "ports", "[]", "protocol"], when: "TCP or not" },
  ...["name", "port", "nodePort"].map((field) => ({
    path: ["spec", "ports", "[]", field],
    when: "protocol is TCP",
  })),
];

/**
 * Of a slice, its labels choose the Service. Zones, hints, host names and what an endpoint refers to mean nothing to a
 * gateway outside.
 */
export const consumedEndpointSliceFields: readonly ConsumedField[] = [
  { path: ["metadata", "labels", serviceNameLabel] },
  { path: ["metadata", "labels", mirroredServiceLabel], when: "set or not" },
  { path: ["addressType"] },
  { path: ["endpoints", "[]", "addresses", "[]"], when: "the first" },
  { path: ["endpoints", "[]", "conditions", "ready"] },
  { path: ["endpoints", "[]", "conditions", "serving"], when: "terminating and not ready" },
  { path: ["endpoints", "[]", "conditions", "terminating"], when: "not ready" },
  { path: ["endpoints", "[]", "nodeName"] },
  { path: ["ports", "[]", "name"], when: "it has a port number" },
  { path: ["ports", "[]", "port"] },
];

/** Heartbeats, conditions, images and capacity are noise. */
export const consumedNodeFields: readonly ConsumedField[] = [
  { path: ["metadata", "labels", excludedNodeLabel], when: "set or not" },
  { path: ["status", "addresses", "[]", "type"] },
  { path: ["status", "addresses", "[]", "address"], when: "type is InternalIP or ExternalIP" },
];

/** Of each kind. */
export const consumedFields: { readonly [K in Kind]: readonly ConsumedField[] } = {
  pods: consumedPodFields,
  services: consumedServiceFields,
  endpointslices: consumedEndpointSliceFields,
  nodes: consumedNodeFields,
};
