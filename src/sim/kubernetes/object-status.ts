import type { KubeObject } from "./kube-object.ts";
import { kubeStatus, type KubeStatus } from "./kube-status.ts";
import { resourceRows, type ResourceName, type ResourceRow } from "./resources.ts";

/** `leases.coordination.k8s.io`, `pods`: how statuses name a resource. */
export function qualifiedName(resource: ResourceName): string {
  const row: ResourceRow = resourceRows[resource];
  return row.group === "" ? resource : `${resource}.${row.group}`;
}

export function groupDetail(resource: ResourceName): { group?: string } {
  const row: ResourceRow = resourceRows[resource];
  return row.group === "" ? {} : { group: row.group };
}

/** A Status about one object: `leases.coordination.k8s.io "web" not found`. */
export function objectStatus(code: number, resource: ResourceName, name: string, what: string): KubeStatus {
  const details = { name, ...groupDetail(resource), kind: resource };
  const status = kubeStatus(code, `${qualifiedName(resource)} "${name}" ${what}`, details);
  return what === "already exists" ? { ...status, reason: "AlreadyExists" } : status;
}

/** What a DELETE that is done answers. */
export function removedStatus(resource: ResourceName, { metadata: { name, uid } }: KubeObject): object {
  const details = { name, ...groupDetail(resource), kind: resource, uid };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}
