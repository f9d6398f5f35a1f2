import type { ClusterStore } from "./cluster-store.ts";
import { objectKey, type KubeObject } from "./kube-object.ts";
import { kubeStatus, type KubeStatus } from "./kube-status.ts";
import type { ResourceName } from "./resources.ts";
import type { ObjectFilter } from "./selector.ts";
import type { ListMeta } from "./wire-encoder.ts";

export interface ListPage {
  readonly meta: ListMeta;
  readonly items: readonly KubeObject[];
}

export interface ListQuery {
  readonly resource: ResourceName;
  readonly filter: ObjectFilter;
  /** Label or field selectors were given: no `remainingItemCount` then. */
  readonly selective: boolean;
  readonly query: URLSearchParams;
}

interface ContinueToken {
  /** Revision of the first page; -1: whatever stands now (the token that a 410 offers). */
  readonly rv: number;
  /** The last key that was sent. */
  readonly after: string;
  readonly page: number;
}

/** One page of a list: pinned to the first page's revision, in key order. */
export function listPage(store: ClusterStore, list: ListQuery): ListPage | KubeStatus {
  const { query } = list;
  const limit = parseCount(query.get("limit"));
  if (limit === undefined)
    return kubeStatus(400, `strconv.ParseInt: parsing "${query.get("limit")}": invalid syntax`);
  const continueText = query.get("continue") ?? "";
  if (continueText !== "") return continued(store, list, limit, continueText);
  const revision = requestedRevision(store, query, limit);
  if (typeof revision !== "number") return revision;
  // Version 0 is served from the watch cache, which knows no pages.
  const effectiveLimit = query.get("resourceVersion") === "0" ? 0 : limit;
  return page(store, list, effectiveLimit, { rv: revision, after: "", page: 1 });
}

/** Which page a request asks for, from 1; 1 also for tokens that cannot be read. */
export function pageNumber(query: URLSearchParams): number {
  const token = query.get("continue") ?? "";
  return token === "" ? 1 : (readToken(token)?.page ?? 1);
}

function continued(store: ClusterStore, list: ListQuery, limit: number, text: string): ListPage | KubeStatus {
  const version = list.query.get("resourceVersion") ?? "";
  if (version !== "" && version !== "0") {
    return kubeStatus(400, "specifying resource version is not allowed when using continue");
  }
  const token = readToken(text);
  if (token === undefined)
    return kubeStatus(400, "continue key is not valid: illegal base64 data at input byte 0");
  return page(store, list, limit, token.rv < 0 ? { ...token, rv: store.revision } : token);
}

function requestedRevision(store: ClusterStore, query: URLSearchParams, limit: number): number | KubeStatus {
  const text = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  if (text === "" || text === "0") return store.revision;
  const asked = parseCount(text);
  if (asked === undefined)
    return kubeStatus(400, `Invalid value: "${text}": strconv.ParseUint: invalid syntax`);
  if (asked > store.revision) return tooLarge(asked, store.revision);
  const exact = match === "Exact" || (match === "" && limit > 0);
  return exact ? asked : store.revision;
}

function tooLarge(asked: number, current: number): KubeStatus {
  const message = "Too large resource version";
  const details = { causes: [{ reason: "ResourceVersionTooLarge", message }], retryAfterSeconds: 1 };
  return kubeStatus(504, `Timeout: ${message}: ${asked}, current: ${current}`, details);
}

function page(
  store: ClusterStore,
  list: ListQuery,
  limit: number,
  from: ContinueToken,
): ListPage | KubeStatus {
  const all = store.kind(list.resource).at(from.rv);
  if (all === undefined) {
    const offered = writeToken({ ...from, rv: -1 });
    return kubeStatus(410, undefined, undefined, from.after === "" ? {} : { continue: offered });
  }
  const items: KubeObject[] = [];
  let index = from.after === "" ? 0 : indexAfter(all, from.after);
  while (index < all.length && (limit === 0 || items.length < limit)) {
    const object = all[index];
    if (object !== undefined && list.filter(object)) items.push(object);
    index += 1;
  }
  const more = list.selective ? all.slice(index).some(list.filter) : index < all.length;
  const last = items.at(-1);
  if (!more || last === undefined) return { meta: { resourceVersion: String(from.rv) }, items };
  const next = writeToken({ rv: from.rv, after: objectKey(last), page: from.page + 1 });
  const remaining = list.selective ? {} : { remainingItemCount: all.length - index };
  return { meta: { resourceVersion: String(from.rv), continue: next, ...remaining }, items };
}

function indexAfter(sorted: readonly KubeObject[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const object = sorted[middle];
    if (object !== undefined && objectKey(object) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function writeToken(token: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", ...token })).toString("base64url");
}

function readToken(text: string): ContinueToken | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    if (typeof value !== "object" || value === null) return undefined;
    const { rv, after, page: number } = value as Partial<Record<string, unknown>>;
    if (typeof rv !== "number" || typeof after !== "string" || typeof number !== "number") return undefined;
    return { rv, after, page: number };
  } catch {
    return undefined;
  }
}

/** A whole number; 0 where absent or empty; undefined where it is none. */
export function parseCount(text: string | null): number | undefined {
  if (text === null || text === "") return 0;
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
