import { hash } from "node:crypto";
import type { Share, SourceKind } from "../declare/declaration.ts";
import { maxPairs } from "../declare/read-route-fields.ts";
import { isJsonObject } from "./json-object.ts";
import {
  clusterLabel,
  instanceLabel,
  kindLabel,
  managedByLabel,
  managedByValue,
  memberLabelPrefix,
  nameLabel,
  namespaceLabel,
  routeLabel,
  shareLabel,
} from "./labels.ts";
import type { Identity, Json, JsonObject, MemberCluster } from "./types.ts";

/** Hexadecimal digits of an id. */
const idDigits = 40;

/** Whether a name in APISIX has the form of our ids; any instance's. */
export const idPattern = /^t-[0-9a-f]{40}$/;

/**
 * Whose an object in APISIX is. `foreign`: it lacks our ownership labels (another instance's count as lacking).
 * `forged`: it carries them on an id that is not the hash of its identity labels, or its identity is one that we never
 * write. `oversized`: a route that matches more pairs than a declaration may, which we never write either: hosts multiply
 * with uris, and what is ours is unfolded to pairs. Both are treated as foreign.
 */
export type Ownership =
  | { readonly ours: true; readonly identity: Identity }
  | { readonly ours: false; readonly why: "foreign" | "forged" | "oversized" };

/** `t-` and 40 hexadecimal digits: the id of a group's route and of its upstream (PRODUCT.md, "Ids"). */
export function idOf(instance: string, identity: Identity): string {
  const { share, cluster, kind, namespace, name, route } = identity;
  const text = JSON.stringify([instance, share, cluster, kind, namespace, name, route]);
  return `t-${hash("sha256", text).slice(0, idDigits)}`;
}

/** Ownership and identity labels, keys in bytewise order; parts that the identity lacks are absent. */
export function labelsOf(instance: string, identity: Identity): Record<string, string> {
  const { share, cluster, kind, namespace, name, route } = identity;
  return {
    [managedByLabel]: managedByValue,
    ...(cluster === "" ? {} : { [clusterLabel]: cluster }),
    [instanceLabel]: instance,
    [kindLabel]: kind,
    ...(name === "" ? {} : { [nameLabel]: name }),
    [namespaceLabel]: namespace,
    [routeLabel]: route,
    [shareLabel]: share,
  };
}

/**
 * Reads whose an object is from what was read back; every part of it is untrusted.
 *
 * @param id the object's id as its key in APISIX says.
 * @param known an identity of which this is the id, if one has been read: equal labels need not be hashed again.
 */
export function readLabels(instance: string, id: string, object: JsonObject, known?: Identity): Ownership {
  const labels = object["labels"];
  if (!isJsonObject(labels)) return { ours: false, why: "foreign" };
  if (labels[managedByLabel] !== managedByValue || labels[instanceLabel] !== instance) {
    return { ours: false, why: "foreign" };
  }
  const read = readIdentity(labels);
  const identity = known !== undefined && read !== undefined && isSameIdentity(read, known) ? known : read;
  if (identity === undefined) return { ours: false, why: "forged" };
  if (identity !== known && idOf(instance, identity) !== id) return { ours: false, why: "forged" };
  if (lengthOf(object["hosts"]) * lengthOf(object["uris"]) > maxPairs)
    return { ours: false, why: "oversized" };
  return { ours: true, identity };
}

function isSameIdentity(a: Identity, b: Identity): boolean {
  return (
    a.name === b.name &&
    a.namespace === b.namespace &&
    a.cluster === b.cluster &&
    a.route === b.route &&
    a.share === b.share &&
    a.kind === b.kind
  );
}

function lengthOf(texts: Json | undefined): number {
  return Array.isArray(texts) ? texts.length : 1;
}

/** The clusters that an upstream's labels name, sorted by name. */
export function memberClusters({ labels = null }: JsonObject): MemberCluster[] {
  return Object.entries(isJsonObject(labels) ? labels : {})
    .filter(([label]) => label.startsWith(memberLabelPrefix))
    .map(([label, uid]): MemberCluster => [label.slice(memberLabelPrefix.length), String(uid)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function readIdentity(labels: JsonObject): Identity | undefined {
  const part = (key: string): string => {
    const value = labels[key];
    return typeof value === "string" ? value : "";
  };
  const share = part(shareLabel);
  const kind = part(kindLabel);
  if (!isShare(share) || !isKind(kind)) return undefined;
  const identity: Identity = {
    share,
    cluster: part(clusterLabel),
    kind,
    namespace: part(namespaceLabel),
    name: part(nameLabel),
    route: part(routeLabel),
  };
  return isPossible(identity) ? identity : undefined;
}

/**
 * Which parts an identity has: `fleet` lacks the cluster; Pods under `cluster` and `fleet` lack the name; a Service
 * under `cluster` is written as `none`.
 */
function isPossible({ share, cluster, kind, namespace, name, route }: Identity): boolean {
  if (kind === "service" && share === "cluster") return false;
  const hasCluster = share !== "fleet";
  const hasName = kind === "service" || share === "none";
  return namespace !== "" && route !== "" && (cluster !== "") === hasCluster && (name !== "") === hasName;
}

function isShare(text: string): text is Share {
  return text === "none" || text === "cluster" || text === "fleet";
}

function isKind(text: string): text is SourceKind {
  return text === "pod" || text === "service";
}
