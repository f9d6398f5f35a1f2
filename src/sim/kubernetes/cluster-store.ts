import type { Cancel, Clock, Random } from "../../runtime.ts";
import { KindStore, type ChangeType, type StoreEvent } from "./kind-store.ts";
import { kubeTime, objectKey, type KubeObject, type ManagedField, type ObjectKey } from "./kube-object.ts";
import { uidFrom } from "./object-uid.ts";
import { resourceNames, type ResourceName } from "./resources.ts";

export interface ClusterStoreOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Events kept per kind; a watch or page from before is 410 Expired. Default 10,000. */
  readonly historyLength?: number;
  /** Where resourceVersions start. Default 1000. */
  readonly firstRevision?: number;
}

/** A backup of the whole store, as `etcdctl snapshot save` makes one. */
export interface StoreBackup {
  readonly revision: number;
  readonly objects: ReadonlyMap<ResourceName, ReadonlyMap<ObjectKey, KubeObject>>;
}

export interface StoreListener {
  event(event: StoreEvent): void;
  /** The content was replaced (restored or wiped): open connections end, as when an API server is restarted. */
  reset(): void;
}

const systemNamespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/**
 * What one cluster's etcd holds: objects of every kind, one counter for resourceVersions, a bounded history.
 *
 * Synchronous, without I/O. Guarantees: resourceVersions only grow, but for `restoreFromBackup` and `wipe`; listeners
 * hear each event once, in order, within the call that made it. Misuse (update of what is not there) throws `Error`.
 */
export class ClusterStore {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #kinds: ReadonlyMap<ResourceName, KindStore>;
  readonly #listeners = new Set<StoreListener>();
  #revision: number;
  #uids = 0;

  constructor(options: ClusterStoreOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    const historyLength = options.historyLength ?? 10_000;
    const revision = options.firstRevision ?? 1000;
    this.#revision = revision;
    this.#kinds = new Map(resourceNames.map((name) => [name, new KindStore(historyLength, revision)]));
    this.#createSystemNamespaces();
  }

  /** The cluster's identity: uid of the namespace `kube-system`. */
  get uid(): string {
    return this.get("namespaces", "kube-system")?.metadata.uid ?? "";
  }

  /** The newest resourceVersion that was given out. */
  get revision(): number {
    return this.#revision;
  }

  kind(resource: ResourceName): KindStore {
    const kind = this.#kinds.get(resource);
    if (kind === undefined) throw new Error(`no such resource: ${resource}`);
    return kind;
  }

  get(resource: ResourceName, key: ObjectKey): KubeObject | undefined {
    return this.kind(resource).get(key);
  }

  /** Every object of the kind, in the order of creation. */
  values(resource: ResourceName): KubeObject[] {
    return [...this.kind(resource).values()];
  }

  create(resource: ResourceName, object: KubeObject): KubeObject {
    const key = objectKey(object);
    if (this.get(resource, key) !== undefined) throw new Error(`${resource} ${key} already exists`);
    const { uid, creationTimestamp } = object.metadata;
    const metadata = {
      ...object.metadata,
      uid: uid ?? this.#newUid(),
      creationTimestamp: creationTimestamp ?? kubeTime(this.#clock.wall()),
    };
    return this.#write("ADDED", resource, key, { ...object, metadata }, undefined);
  }

  /** Replaces an object; uid and creationTimestamp stay those of the one that stands. */
  update(resource: ResourceName, object: KubeObject): KubeObject {
    const key = objectKey(object);
    const previous = this.#must(resource, key);
    const { uid, creationTimestamp } = previous.metadata;
    const metadata = {
      ...object.metadata,
      ...(uid === undefined ? {} : { uid }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    };
    return this.#write("MODIFIED", resource, key, { ...object, metadata }, previous);
  }

  /** `create` or `update`, whichever applies. */
  apply(resource: ResourceName, object: KubeObject): KubeObject {
    const stands = this.get(resource, objectKey(object)) !== undefined;
    return stands ? this.update(resource, object) : this.create(resource, object);
  }

  /** Changes an object by a function of what stands, as `patch("pods", "shop/web-0", (p) => withReady(p, false))`. */
  patch(resource: ResourceName, key: ObjectKey, change: (object: KubeObject) => KubeObject): KubeObject {
    return this.update(resource, change(this.#must(resource, key)));
  }

  /** Deletes at once. A graceful end is a `patch` with `withDeletion` first. */
  remove(resource: ResourceName, key: ObjectKey): KubeObject {
    const previous = this.#must(resource, key);
    return this.#write("DELETED", resource, key, previous, previous);
  }

  /** A write that means nothing: resourceVersion and the time of one managedFields entry move, nothing else. */
  bumpNoise(resource: ResourceName, key: ObjectKey): KubeObject {
    const previous = this.#must(resource, key);
    const fields = previous.metadata.managedFields ?? [];
    const last = fields.at(-1) ?? noiseField;
    const touched: ManagedField = { ...last, time: kubeTime(this.#clock.wall()) };
    const metadata = { ...previous.metadata, managedFields: [...fields.slice(0, -1), touched] };
    return this.#write("MODIFIED", resource, key, { ...previous, metadata }, previous);
  }

  /** Forgets the history of one kind, or of all: resumed watches and pages of older lists get 410 Expired. */
  compact(resource?: ResourceName): void {
    const names = resource === undefined ? resourceNames : [resource];
    for (const name of names) this.kind(name).compact(this.#revision);
  }

  backup(): StoreBackup {
    const objects = new Map(resourceNames.map((name) => [name, new Map(this.kind(name).entries())]));
    return { revision: this.#revision, objects };
  }

  /** Goes back to a backup: same uid, *lower* resourceVersions (SCENARIOS.md W7). */
  restoreFromBackup(backup: StoreBackup): void {
    this.#revision = backup.revision;
    for (const name of resourceNames) this.kind(name).reset(backup.objects.get(name) ?? [], backup.revision);
    for (const listener of this.#listeners) listener.reset();
  }

  /** Another cluster from now on: nothing in it, a new uid, resourceVersions from 1. */
  wipe(): void {
    this.#revision = 1;
    for (const name of resourceNames) this.kind(name).reset([], 1);
    this.#createSystemNamespaces();
    for (const listener of this.#listeners) listener.reset();
  }

  subscribe(listener: StoreListener): Cancel {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #write(
    type: ChangeType,
    resource: ResourceName,
    key: ObjectKey,
    next: KubeObject,
    previous: KubeObject | undefined,
  ): KubeObject {
    this.#revision += 1;
    const revision = this.#revision;
    const object = { ...next, metadata: { ...next.metadata, resourceVersion: String(revision) } };
    const event = { type, resource, key, revision, object, ...(previous === undefined ? {} : { previous }) };
    this.kind(resource).record(event);
    for (const listener of this.#listeners) listener.event(event);
    return object;
  }

  #must(resource: ResourceName, key: ObjectKey): KubeObject {
    const object = this.get(resource, key);
    if (object === undefined) throw new Error(`${resource} ${key} is not there`);
    return object;
  }

  #createSystemNamespaces(): void {
    for (const name of systemNamespaces) {
      const metadata = { name, labels: { "kubernetes.io/metadata.name": name } };
      this.create("namespaces", {
        metadata,
        spec: { finalizers: ["kubernetes"] },
        status: { phase: "Active" },
      });
    }
  }

  #newUid(): string {
    // Counted too: unique within a cluster whatever the randomness that was passed.
    this.#uids += 1;
    return uidFrom(`${this.#random()},${this.#random()},${this.#uids}`);
  }
}

const noiseField: ManagedField = {
  manager: "kubelet",
  operation: "Update",
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:status": { "f:conditions": {} } },
};
