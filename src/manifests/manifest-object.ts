import type { SourceKind } from "../declare/declaration.ts";
import { isObject } from "../declare/read-value.ts";
import type { ManifestDocument, Path } from "./manifest-file.ts";

/** One Kubernetes object of a manifest. Kind, namespace and name are `""` where they are not written. */
export interface ManifestObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly document: ManifestDocument;
  /** Where the object begins in its document. */
  readonly path: Path;
  /** What carries its declarations; undefined where nothing in it is read. */
  readonly source: ManifestSource | undefined;
}

/** An object with `metadata` and `spec` of a Pod or Service: the object itself, or its Pod template. */
export interface ManifestSource {
  readonly kind: SourceKind;
  /** From the document's root. */
  readonly path: Path;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Where Kubernetes' own workloads keep the Pods that they make. */
const templates: Readonly<Record<string, Path>> = {
  PodTemplate: ["template"],
  Deployment: ["spec", "template"],
  StatefulSet: ["spec", "template"],
  DaemonSet: ["spec", "template"],
  ReplicaSet: ["spec", "template"],
  ReplicationController: ["spec", "template"],
  Job: ["spec", "template"],
  CronJob: ["spec", "jobTemplate", "spec", "template"],
};

/** The objects of a document in order; those of a List one by one. What is no mapping is no object. */
export function objectsIn(document: ManifestDocument): readonly ManifestObject[] {
  return objectsAt(document, document.value, [], "");
}

function objectsAt(
  document: ManifestDocument,
  value: unknown,
  path: Path,
  defaultKind: string,
): readonly ManifestObject[] {
  if (!isObject(value)) return [];
  const kind = text(value["kind"]) || defaultKind;
  const items: unknown = value["items"];
  if (kind.endsWith("List") && Array.isArray(items)) {
    // The items of a PodList need not say what they are.
    return items.flatMap((item, index) =>
      objectsAt(document, item, [...path, "items", index], kind.slice(0, -"List".length)),
    );
  }
  const metadata = isObject(value["metadata"]) ? value["metadata"] : {};
  const name = text(metadata["name"]) || text(metadata["generateName"]);
  const source = sourceOf(value, kind, path);
  return [{ kind, namespace: text(metadata["namespace"]), name, document, path, source }];
}

function sourceOf(
  value: Readonly<Record<string, unknown>>,
  kind: string,
  path: Path,
): ManifestSource | undefined {
  if (kind === "Pod" || kind === "Service") {
    // Others have a kind of this name too, as Knative has.
    const core = value["apiVersion"] === undefined || value["apiVersion"] === "v1";
    return core ? { kind: kind === "Pod" ? "pod" : "service", path, value } : undefined;
  }
  const template = Object.hasOwn(templates, kind) ? templates[kind] : undefined;
  if (template === undefined) return undefined;
  let inner: unknown = value;
  for (const step of template) inner = isObject(inner) ? inner[step] : undefined;
  return isObject(inner) ? { kind: "pod", path: [...path, ...template], value: inner } : undefined;
}

const text = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";
