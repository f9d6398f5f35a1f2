import { enabledLabel, pausedAnnotation, routesAnnotation } from "../declare/names.ts";

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

/**
 * What counts as consumed of a Pod: `projectPod` reads these and nothing else, and a test proves it. Fingerprints of the
 * wire stand on this table.
 */
export const consumedPodFields: readonly ConsumedField[] = [
  { path: ["metadata", "namespace"] },
  { path: ["metadata", "name"] },
  { path: ["metadata", "uid"] },
  { path: ["metadata", "creationTimestamp"] },
  { path: ["metadata", "deletionTimestamp"], when: "set or not" },
  { path: ["metadata", "labels", enabledLabel] },
  { path: ["metadata", "annotations", routesAnnotation] },
  { path: ["metadata", "annotations", pausedAnnotation] },
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
