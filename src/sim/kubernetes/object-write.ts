import { isDeepStrictEqual } from "node:util";
import type { ApiTarget, Verb } from "./api-path.ts";
import type { ClusterStore } from "./cluster-store.ts";
import type { KubeObject, ObjectMeta } from "./kube-object.ts";
import { kubeStatus, type KubeStatus } from "./kube-status.ts";
import { objectStatus } from "./object-status.ts";
import type { ApiRequest } from "./response-sink.ts";
import { apiVersionOf, resourceRows, type ResourceName, type ResourceRow } from "./resources.ts";
import { mergePatch } from "../admin/merge-patch.ts";
import { invalidFields, invalidStatus, malformedField, type Json } from "./write-rules.ts";

type ResourceTarget = Extract<ApiTarget, { type: "resource" }>;

export const writeVerbs: ReadonlySet<Verb> = new Set(["create", "update", "patch", "delete"]);

const writable: ReadonlySet<ResourceName> = new Set(["leases", "events"]);

/** Other kinds are changed through the store: admission and defaults of Pods, say, are not modelled. */
export const isWritable = (resource: ResourceName): boolean => writable.has(resource);

export type Written =
  | { readonly type: "created" | "changed" | "removed"; readonly object: KubeObject }
  | { readonly refusal: KubeStatus };

/** What stands and what is asked for. */
interface Subject {
  readonly store: ClusterStore;
  readonly resource: ResourceName;
  readonly name: string;
  readonly key: string;
  readonly stands: KubeObject | undefined;
}

/** Does a write as kube-apiserver 1.37.2 was seen to: the same status, and the same words where a client may look. */
export function writeObject(store: ClusterStore, target: ResourceTarget, request: ApiRequest): Written {
  const { resource, namespace = "", verb, name: named } = target;
  if (verb === "delete") return remove(subjectOf(store, resource, namespace, named ?? ""), request.body);
  const isMerge = request.contentType?.startsWith("application/merge-patch+json") === true;
  if (verb === "patch" && !isMerge) return { refusal: kubeStatus(415, "415: Unsupported Media Type", {}) };
  const body = parsed(request.body ?? "");
  if (body === undefined)
    return { refusal: kubeStatus(400, "the object provided is unrecognized: json parse error") };
  if (verb === "patch") return patch(subjectOf(store, resource, namespace, named ?? ""), body);
  const metadata = recordOf(body["metadata"]);
  const name = named ?? generatedName(metadata, store);
  const subject = subjectOf(store, resource, namespace, name);
  const wrong = wrongPlace(subject, namespace, body, metadata);
  if (wrong !== undefined) return { refusal: wrong };
  return verb === "create" ? create(subject, namespace, body) : update(subject, namespace, body);
}

function create(subject: Subject, namespace: string, body: Json): Written {
  const { resource, name, stands } = subject;
  const metadata = recordOf(body["metadata"]);
  const absent = closedNamespace(subject, namespace);
  if (absent !== undefined) return { refusal: absent };
  if (versionOf(metadata) !== "")
    return { refusal: kubeStatus(500, "resourceVersion should not be set on objects to be created") };
  if (stands !== undefined) return { refusal: objectStatus(409, resource, name, "already exists") };
  return put(subject, namespace, body);
}

/** Nothing is made in a namespace that is not there, or that ends. */
function closedNamespace({ store, resource, name }: Subject, namespace: string): KubeStatus | undefined {
  const found = store.get("namespaces", namespace);
  if (found === undefined)
    return kubeStatus(404, `namespaces "${namespace}" not found`, { name: namespace, kind: "namespaces" });
  if (found.metadata.deletionTimestamp === undefined) return undefined;
  const why = `namespace ${namespace} is being terminated`;
  const status = objectStatus(403, resource, name, "is forbidden: unable to create new content in namespace");
  const causes = [{ reason: "NamespaceTerminating", message: why, field: "metadata.namespace" }];
  const message = `${status.message} ${namespace} because it is being terminated`;
  return { ...status, message, details: { ...status.details, causes } };
}

/** A Lease that is not there is made by a PUT, whatever version it names, but for one that names a uid (seen on 1.37.2). */
function update(subject: Subject, namespace: string, body: Json): Written {
  const { resource, name, stands } = subject;
  const metadata = recordOf(body["metadata"]);
  if (stands === undefined) {
    if (resource !== "leases") return { refusal: objectStatus(404, resource, name, "not found") };
    return metadata["uid"] === undefined ? put(subject, namespace, body) : { refusal: modified(subject) };
  }
  const uid = metadata["uid"];
  const version = versionOf(metadata);
  if (
    (uid !== undefined && uid !== stands.metadata.uid) ||
    (version !== "" && version !== stands.metadata.resourceVersion)
  )
    return { refusal: modified(subject) };
  if (version === "" && resource === "leases") {
    const field = {
      field: "metadata.resourceVersion",
      message: "Invalid value: 0: must be specified for an update",
    };
    return { refusal: invalidStatus(resource, name, [field]) };
  }
  return put(subject, namespace, body);
}

function patch(subject: Subject, changes: Json): Written {
  const { resource, name, stands } = subject;
  if (stands === undefined) return { refusal: objectStatus(404, resource, name, "not found") };
  const metadata = recordOf(changes["metadata"]);
  const version = versionOf(metadata);
  if (version !== "" && version !== stands.metadata.resourceVersion) return { refusal: modified(subject) };
  const { namespace = "" } = stands.metadata;
  const wrong = wrongPlace(subject, namespace, changes, metadata);
  if (wrong !== undefined) return { refusal: wrong };
  const merged = recordOf(mergePatch(structuredClone(stands), changes));
  // What changes nothing is not written.
  if (isDeepStrictEqual(merged, stands)) return { type: "changed", object: stands };
  return put(subject, namespace, merged);
}

function remove(subject: Subject, text: string | undefined): Written {
  const { store, resource, name, key, stands } = subject;
  if (stands === undefined) return { refusal: objectStatus(404, resource, name, "not found") };
  const asked = recordOf(recordOf(parsed(text ?? ""))["preconditions"]);
  const { uid, resourceVersion } = stands.metadata;
  const isOther =
    (asked["uid"] ?? uid) !== uid || (asked["resourceVersion"] ?? resourceVersion) !== resourceVersion;
  return isOther ? { refusal: modified(subject) } : { type: "removed", object: store.remove(resource, key) };
}

function put(subject: Subject, namespace: string, body: Json): Written {
  const { store, resource, name, stands } = subject;
  const malformed = malformedField(resource, body);
  if (malformed !== undefined) return { refusal: kubeStatus(400, malformed) };
  const invalid = invalidFields(resource, name, body, stands);
  if (invalid.length > 0) return { refusal: invalidStatus(resource, name, invalid) };
  const { kind: _kind, apiVersion: _version, ...content } = body;
  const { resourceVersion: _stale, uid: _uid, ...metadata } = recordOf(body["metadata"]);
  // What a client sends is taken as it is, beyond the fields that are judged.
  const object = { ...content, metadata: { ...metadata, name, namespace } as ObjectMeta } as KubeObject;
  return { type: stands === undefined ? "created" : "changed", object: store.apply(resource, object) };
}

function subjectOf(store: ClusterStore, resource: ResourceName, namespace: string, name: string): Subject {
  const key = `${namespace}/${name}`;
  return { store, resource, name, key, stands: store.get(resource, key) };
}

function wrongPlace(
  { resource, name }: Subject,
  namespace: string,
  body: Json,
  metadata: Json,
): KubeStatus | undefined {
  const row: ResourceRow = resourceRows[resource];
  const { kind = row.kind, apiVersion = apiVersionOf(row) } = body;
  if (kind !== row.kind || apiVersion !== apiVersionOf(row))
    return kubeStatus(
      400,
      `${String(kind)} in version ${String(apiVersion)} cannot be handled as a ${row.kind}`,
    );
  const own = metadata["name"] ?? name;
  if (own !== name)
    return kubeStatus(
      400,
      `the name of the object (${String(own)}) does not match the name on the URL (${name})`,
    );
  if ((metadata["namespace"] ?? namespace) !== namespace)
    return kubeStatus(
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  return undefined;
}

function modified({ resource, name }: Subject): KubeStatus {
  const status = objectStatus(409, resource, name, "");
  const why = "the object has been modified; please apply your changes to the latest version and try again";
  return { ...status, message: `Operation cannot be fulfilled on ${status.message.trimEnd()}: ${why}` };
}

function generatedName(metadata: Json, store: ClusterStore): string {
  const { name, generateName } = metadata;
  if (typeof name === "string") return name;
  return typeof generateName === "string"
    ? `${generateName}${store.revision.toString(36).padStart(5, "x")}`
    : "";
}

const versionOf = ({ resourceVersion }: Json): string =>
  typeof resourceVersion === "string" ? resourceVersion : "";

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

const recordOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
