import { enabledLabel } from "../declare/names.ts";
import type { ObjectReader, ObjectReaders } from "../protobuf/object-reader.ts";
import type { Kind } from "./events.ts";

/** What is watched of one kind. A new kind is a new row. */
export interface KindRow {
  /** Secrets are read where clusters are described in them, and go no further. */
  readonly kind: Kind | "secrets";
  /** Path of the collection: over all namespaces, or of `namespace` alone. */
  readonly path: string;
  /** `kind` of a list document. */
  readonly listKind: string;
  readonly namespaced: boolean;
  /** Label selector that the server applies; `""` for none. */
  readonly selector: string;
  /** Objects of other namespaces have no place in an answer. */
  readonly namespace?: string;
  /** `metadata.generation` moves with whatever is consumed. */
  readonly isStamped?: boolean;
  /** Of its objects in protobuf; left out: JSON alone is asked for. */
  readonly reader?: ObjectReader;
}

/** What must be listed and watched, each by itself, to see a kind in these namespaces; none named: in all. */
function partsOf(row: KindRow, namespaces: readonly string[]): readonly KindRow[] {
  if (!row.namespaced || namespaces.length === 0) return [row];
  return namespaces.map((namespace) => ({
    ...row,
    namespace,
    path: row.path.replace(/[^/]+$/, (collection) => `namespaces/${namespace}/${collection}`),
  }));
}

const optedIn = `${enabledLabel}=true`;

export const kindRows = {
  pods: { kind: "pods", path: "/api/v1/pods", listKind: "PodList", namespaced: true, selector: optedIn },
  services: {
    ...{ kind: "services", path: "/api/v1/services", listKind: "ServiceList" },
    ...{ namespaced: true, selector: optedIn },
  },
  /**
   * The controller of Kubernetes gives a slice the labels of its Service. Its generation moves with endpoints, ports and
   * labels; the address type never changes. That of Pods misses status and annotations, Services may have none.
   */
  endpointslices: {
    ...{ kind: "endpointslices", path: "/apis/discovery.k8s.io/v1/endpointslices" },
    ...{ listKind: "EndpointSliceList", namespaced: true, selector: optedIn, isStamped: true },
  },
  nodes: { kind: "nodes", path: "/api/v1/nodes", listKind: "NodeList", namespaced: false, selector: "" },
} as const satisfies Readonly<Record<Kind, KindRow>>;

/** How much of a cluster is seen. */
export interface Scope {
  /** Empty, or left out: all. */
  readonly namespaces?: readonly string[];
  /** `none`: slices that somebody writes by hand do not carry the label. */
  readonly sliceSelector?: "enabled" | "none";
}

/** What must be listed and watched, each by itself, to see a kind within this scope. */
export function scopedRows(
  kind: Kind,
  { namespaces = [], sliceSelector }: Scope,
  readers: ObjectReaders,
): readonly KindRow[] {
  const row = { ...kindRows[kind], reader: readers[kind] };
  const isWide = kind === "endpointslices" && sliceSelector === "none";
  return partsOf(isWide ? { ...row, selector: "" } : row, namespaces);
}

export function sameScope(a: Scope, b: Scope): boolean {
  const [one, other] = [a.namespaces ?? [], b.namespaces ?? []];
  return (
    (a.sliceSelector ?? "enabled") === (b.sliceSelector ?? "enabled") &&
    one.length === other.length &&
    one.every((name) => other.includes(name))
  );
}

/** Secrets of one namespace. */
export function secretsRow(namespace: string, selector: string): KindRow {
  return {
    ...{ kind: "secrets", listKind: "SecretList", namespaced: true, namespace, selector },
    ...{ path: `/api/v1/namespaces/${namespace}/secrets` },
  };
}
