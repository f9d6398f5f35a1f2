import type { Share, SourceKind } from "./declaration.ts";

/** Their Pods are replicas of one another: without sharing, three replicas would conflict with each other. */
const replicating: ReadonlySet<string> = new Set(["ReplicaSet", "ReplicationController", "DaemonSet"]);

/**
 * Share of a declaration that names none. `controllerKind` is the kind of the owner reference with `controller: true`;
 * undefined where there is none.
 */
export function defaultShare(kind: SourceKind, controllerKind: string | undefined): Share {
  return kind === "pod" && controllerKind !== undefined && replicating.has(controllerKind)
    ? "cluster"
    : "none";
}
