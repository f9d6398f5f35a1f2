import { kubeTime, type KubeObject, type StringMap } from "./kube-object.ts";
import { sourceAnnotations, type Routes } from "./source-metadata.ts";

/** Values to set; null takes the key away. */
export type MapChanges = Readonly<Record<string, string | null>>;

/** The object with these labels set or, where null, removed. For any kind. */
export function withLabels(object: KubeObject, changes: MapChanges): KubeObject {
  return { ...object, metadata: { ...object.metadata, labels: changed(object.metadata.labels, changes) } };
}

/** The object with these annotations set or, where null, removed. For any kind. */
export function withAnnotations(object: KubeObject, changes: MapChanges): KubeObject {
  return {
    ...object,
    metadata: { ...object.metadata, annotations: changed(object.metadata.annotations, changes) },
  };
}

/** The object with another routes annotation; a string is its text as it is. */
export function withRoutes(object: KubeObject, routes: Routes): KubeObject {
  return withAnnotations(object, sourceAnnotations(routes));
}

/** The object as a graceful deletion leaves it until it is gone: terminating. */
export function withDeletion(object: KubeObject, atWall: number, graceSeconds = 30): KubeObject {
  const deletionTimestamp = kubeTime(atWall + graceSeconds * 1000);
  const metadata = { ...object.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds };
  return { ...object, metadata };
}

function changed(map: StringMap | undefined, changes: MapChanges): StringMap {
  const kept = Object.entries({ ...map, ...changes });
  return Object.fromEntries(kept.filter((entry): entry is [string, string] => entry[1] !== null));
}
