import { hash } from "node:crypto";
import type { Identity } from "../../../src/apisix/types.ts";

/** Ids and labels as PRODUCT.md, "What stands in APISIX", words them, written a second time and naively. */

export type Body = Readonly<Record<string, unknown>>;

export function idOf(instance: string, identity: Identity): string {
  const { share, cluster, kind, namespace, name, route } = identity;
  const text = JSON.stringify([instance, share, cluster, kind, namespace, name, route]);
  const known = ids.get(text);
  if (known !== undefined) return known;
  if (ids.size >= idsKept) ids.clear();
  const id = `t-${hash("sha256", text).slice(0, 40)}`;
  ids.set(text, id);
  return id;
}

/** The same ids are asked for again and again. */
const ids = new Map<string, string>();
const idsKept = 5000;

export function labelsOf(instance: string, identity: Identity): Record<string, string> {
  const labels: Record<string, string> = {
    "managed-by": "apisix-translator",
    "translator/instance": instance,
  };
  for (const part of ["cluster", "kind", "namespace", "name", "route", "share"] as const)
    if (identity[part] !== "") labels[`translator/${part}`] = identity[part];
  return labels;
}

/** Whose object it is; undefined: not ours, or forged. */
export function identityOf(instance: string, id: string, body: Body): Identity | undefined {
  const labels = body["labels"];
  if (typeof labels !== "object" || labels === null) return undefined;
  const { "managed-by": manager, "translator/instance": owner, ...others } = labels as Record<string, string>;
  if (manager !== "apisix-translator" || owner !== instance) return undefined;
  const part = (name: string): string => others[`translator/${name}`] ?? "";
  const identity = {
    share: part("share"),
    cluster: part("cluster"),
    kind: part("kind"),
    namespace: part("namespace"),
    name: part("name"),
    route: part("route"),
  } as Identity;
  return idOf(instance, identity) === id ? identity : undefined;
}

/** `host uri` of everything that a route holds. A foreign one that is switched off holds nothing. */
export function pairsOf(route: Body, isOurs: boolean, serviceHosts: readonly string[] = []): string[] {
  if (route["status"] === 0 && !isOurs) return [];
  const own = texts(route, "hosts", "host");
  const hosts = own.length > 0 ? own : serviceHosts.length > 0 ? serviceHosts : [""];
  return hosts.flatMap((host) => texts(route, "uris", "uri").map((uri) => `${host} ${uri}`)).toSorted();
}

function texts(body: Body, many: string, one: string): string[] {
  const list = body[many];
  const found: unknown[] = Array.isArray(list) ? list : [body[one]];
  return found.filter((text) => typeof text === "string");
}

export interface Node {
  readonly host: string;
  readonly port: number;
  readonly weight: number;
  readonly metadata?: { readonly cluster: string; readonly name?: string };
}

export function nodesOf(upstream: Body): Node[] {
  const nodes = upstream["nodes"];
  return Array.isArray(nodes) ? (nodes as Node[]) : [];
}

/** A body without what the server and the digest add, keys in order: equal texts, equal content. */
export function contentOf(body: Body): string {
  const { id: _id, create_time: _created, update_time: _updated, ...rest } = body;
  const content: Record<string, unknown> = rest;
  const labels = content["labels"];
  if (typeof labels === "object" && labels !== null) {
    const { "translator/digest": _digest, ...others } = labels as Record<string, unknown>;
    content["labels"] = others;
  }
  return textOf(content);
}

/** Everything that a writer decides, digest too. Bodies are never changed in place. */
export function writtenOf(body: Body): string {
  const known = writtenTexts.get(body);
  if (known !== undefined) return known;
  const { id: _id, create_time: _created, update_time: _updated, ...content } = body;
  const text = textOf(content);
  writtenTexts.set(body, text);
  return text;
}

const writtenTexts = new WeakMap<Body, string>();

export function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  const sorted = fields.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, field]) => `${JSON.stringify(key)}:${textOf(field)}`).join()}}`;
}
