/** One served resource. `group` is `""` for the core group. */
export interface ResourceRow {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** The kinds that an embedded cluster serves. A new kind is a new row, nothing else. */
export const resourceRows = {
  pods: { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true },
  services: { group: "", version: "v1", resource: "services", kind: "Service", namespaced: true },
  endpointslices: {
    group: "discovery.k8s.io",
    version: "v1",
    resource: "endpointslices",
    kind: "EndpointSlice",
    namespaced: true,
  },
  nodes: { group: "", version: "v1", resource: "nodes", kind: "Node", namespaced: false },
  namespaces: { group: "", version: "v1", resource: "namespaces", kind: "Namespace", namespaced: false },
  secrets: { group: "", version: "v1", resource: "secrets", kind: "Secret", namespaced: true },
  leases: {
    group: "coordination.k8s.io",
    version: "v1",
    resource: "leases",
    kind: "Lease",
    namespaced: true,
  },
  events: { group: "events.k8s.io", version: "v1", resource: "events", kind: "Event", namespaced: true },
} as const satisfies Readonly<Record<string, ResourceRow>>;

export type ResourceName = keyof typeof resourceRows;

export const resourceNames = Object.keys(resourceRows) as readonly ResourceName[];

/** `v1`, `discovery.k8s.io/v1`: what an object's `apiVersion` says. */
export function apiVersionOf(row: ResourceRow): string {
  return row.group === "" ? row.version : `${row.group}/${row.version}`;
}

/** The collection's path: `/api/v1/pods`, `/api/v1/namespaces/shop/pods`, `/apis/discovery.k8s.io/v1/endpointslices`. */
export function collectionPath(resource: ResourceName, namespace?: string): string {
  const row: ResourceRow = resourceRows[resource];
  const root = row.group === "" ? `/api/${row.version}` : `/apis/${row.group}/${row.version}`;
  return namespace === undefined ? `${root}/${resource}` : `${root}/namespaces/${namespace}/${resource}`;
}
