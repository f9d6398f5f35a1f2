export type StringMap = Readonly<Record<string, string>>;

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedField {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: "FieldsV1";
  readonly fieldsV1: object;
  readonly subresource?: string;
}

/** `uid`, `resourceVersion` and `creationTimestamp` are given by the store where a new object lacks them. */
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedField[];
}

/**
 * An object as the model keeps it: without `kind` and `apiVersion`, which the encoder adds where a server writes them.
 * Immutable: a change is a new object, so watchers, history and page snapshots can share the old one.
 */
export interface KubeObject {
  readonly metadata: ObjectMeta;
  readonly spec?: object;
  readonly status?: object;
}

/** `namespace/name`, or `name` for kinds without namespaces: the order of keys is the order of lists. */
export type ObjectKey = string;

export function objectKey(object: KubeObject): ObjectKey {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Seconds precision, as API servers write times: `2026-03-01T08:00:00Z`. */
export function kubeTime(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 19)}Z`;
}
