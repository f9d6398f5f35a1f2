import type { SourceFields } from "../store/projection.ts";
import { enabledLabel, pausedAnnotation, routesAnnotation } from "../declare/names.ts";
import { FieldError, fieldsOf, neededText, neededTime, textOf, type Fields } from "./read-fields.ts";

/** `enabled`: the object takes part at all. `reason` names the field that is wrong. */
export type Projected<Projection> =
  | { readonly ok: true; readonly projection: Projection; readonly enabled: boolean }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads an object with `read`. Fields that Kubernetes lets be absent may be, or null; a field of a wrong type makes the
 * whole object malformed, since an object half understood could lose its nodes.
 */
export function projected<Projection>(
  value: unknown,
  read: (object: Fields, metadata: Fields) => { readonly projection: Projection; readonly enabled: boolean },
): Projected<Projection> {
  try {
    const object = fieldsOf(value, "the object");
    return { ok: true, ...read(object, fieldsOf(object["metadata"], "metadata")) };
  } catch (error) {
    if (error instanceof FieldError) return { ok: false, reason: error.message };
    throw error;
  }
}

/** Whether the object opts in: the label's value is exactly `true`. */
export function isOptedIn(metadata: Fields): boolean {
  return labelOf(metadata, enabledLabel) === "true";
}

export function labelOf(metadata: Fields, name: string): string | undefined {
  return textOf(fieldsOf(metadata["labels"], "metadata.labels")[name], `metadata.labels["${name}"]`);
}

/** Who an object that carries declarations is, and what it declares. */
export function sourceFields(metadata: Fields): SourceFields {
  const annotations = fieldsOf(metadata["annotations"], "metadata.annotations");
  const annotation = (name: string): string | undefined =>
    textOf(annotations[name], `metadata.annotations["${name}"]`);
  return {
    namespace: neededText(metadata["namespace"], "metadata.namespace"),
    name: neededText(metadata["name"], "metadata.name"),
    uid: neededText(metadata["uid"], "metadata.uid"),
    created: neededTime(metadata["creationTimestamp"], "metadata.creationTimestamp"),
    terminating: textOf(metadata["deletionTimestamp"], "metadata.deletionTimestamp") !== undefined,
    routes: annotation(routesAnnotation),
    paused: annotation(pausedAnnotation) === "true",
  };
}
