/** PUT, POST, PATCH and DELETE of one resource against the store. Synchronous; PATCH in two steps (see `preparePatch`). */
import type { Clock } from "../../runtime.ts";
import type { AdminEntry, AdminStore } from "./admin-store.ts";
import { etcdRefusal, noEtcd, notFound, refusal, resourceReply, type AdminReply } from "./admin-reply.ts";
import type { JsonObject } from "./json-schema.ts";
import { isJsonObject } from "./json-schema.ts";
import { mergePatch, patchAt } from "./merge-patch.ts";
import { forbiddenProperty, resourceProblem } from "./resource-check.ts";
import type { ResourceKind } from "./resource-kinds.ts";
import { shownAfterWrite, shownOnRead } from "./secret-fields.ts";

export interface WriteContext {
  readonly store: AdminStore;
  readonly clock: Clock;
  /** False: whatever needs etcd is refused, and nothing is written. */
  readonly etcdUp: boolean;
  /** Milliseconds by which the view of references lags; 0: none. */
  readonly referenceLag: number;
}

export interface Target {
  readonly kind: ResourceKind;
  readonly collection: string;
  /** `undefined` where the path names none. */
  readonly id: string | undefined;
  /** What follows the id in the path. */
  readonly rest: readonly string[];
}

function seconds(clock: Clock): number {
  return Math.floor(clock.wall() / 1000);
}

/** @param body Parsed JSON; `undefined` for an empty one. */
export function putResource(
  context: WriteContext,
  target: Target,
  body: unknown,
  ttl: number | undefined,
): AdminReply {
  const { kind } = target;
  const conf = configurationOf(body);
  if ("status" in conf) return conf;
  const forbidden = kind.name === "plugin_metadata" ? undefined : forbiddenProperty(conf.value);
  if (forbidden !== undefined) return refusal(400, forbidden);
  const given = conf.value[kind.idField];
  const id = target.id ?? (given === undefined || given === null ? undefined : String(given));
  if (id === undefined) return refusal(400, `missing ${kind.singular} ${kind.idField}`);
  if (given !== undefined && target.id !== undefined && String(given) !== target.id) {
    return refusal(400, `wrong ${kind.singular} ${kind.idField}`);
  }
  const value = { ...conf.value, [kind.idField]: target.id ?? given };
  const problem = resourceProblem(context, kind, value);
  if (problem !== undefined) return problem;
  if (!context.etcdUp) return etcdRefusal(503, noEtcd);
  return store(context, target, id, value, undefined, ttl);
}

export function postResource(
  context: WriteContext,
  target: Target,
  body: unknown,
  ttl: number | undefined,
): AdminReply {
  const { kind } = target;
  const conf = configurationOf(body);
  if ("status" in conf) return conf;
  const forbidden = forbiddenProperty(conf.value);
  if (forbidden !== undefined) return refusal(400, forbidden);
  if (target.id !== undefined || "id" in conf.value) {
    return refusal(400, `wrong ${kind.singular} id, do not need it`);
  }
  const problem = resourceProblem(context, kind, conf.value);
  if (problem !== undefined) return problem;
  if (!context.etcdUp) return etcdRefusal(503, noEtcd);
  const id = context.store.nextPostId();
  return store(context, target, id, { ...conf.value, id }, undefined, ttl);
}

/** A PATCH between its read and its write. */
export interface PreparedPatch {
  /** Writes unless the object changed since it was read. */
  readonly commit: () => AdminReply;
}

/**
 * APISIX reads the object, changes it and writes it with a compare-and-swap: whoever comes second gets 503. The caller decides
 * how long the two steps are apart.
 */
export function preparePatch(
  context: WriteContext,
  target: Target,
  body: unknown,
): AdminReply | PreparedPatch {
  const { kind, id, rest, collection } = target;
  if (id === undefined) return refusal(400, `missing ${kind.singular} id`);
  if (body === undefined) return refusal(400, "missing new configuration");
  if (rest.length === 0 && (typeof body !== "object" || body === null))
    return refusal(400, "invalid configuration");
  if (!context.etcdUp) return etcdRefusal(503, noEtcd);
  const before = context.store.get(collection, id);
  if (before === undefined) return notFound;
  const patched = rest.length === 0 ? mergePatch(before.value, body) : patchAt(before.value, rest, body);
  if (!isJsonObject(patched)) return refusal(400, "invalid configuration");
  if (patched["id"] !== before.value["id"]) return refusal(400, `wrong ${kind.singular} id`);
  const problem = resourceProblem(context, kind, patched);
  if (problem !== undefined) return problem;
  return {
    commit: () => {
      if (!context.etcdUp) return etcdRefusal(503, noEtcd);
      const now = context.store.get(collection, id);
      if (now !== before) return refusal(503, "value changed before overwritten");
      const setsTime = isJsonObject(body) && "update_time" in body;
      return store(context, target, id, patched, setsTime ? patched["update_time"] : undefined, undefined);
    },
  };
}

/** @param force The query's `force`: only the string `true` skips the check of references. */
export function deleteResource(context: WriteContext, target: Target, force: string | null): AdminReply {
  const { kind, id, collection } = target;
  if (id === undefined) return refusal(400, `missing ${kind.singular} id`);
  if (force !== "true") {
    const { references } = context.store;
    const key = `${kind.name}/${id}`;
    const holder =
      context.referenceLag > 0
        ? references.staleHolderOf(key, context.referenceLag)
        : references.holderOf(key);
    if (holder !== undefined) {
      const directly = kind.name === "services" ? " directly" : "";
      return refusal(400, `can not delete this ${kind.singular}${directly}, ${holder} is still using it now`);
    }
  }
  if (!context.etcdUp) return etcdRefusal(503, noEtcd);
  if (kind.name === "consumers") deleteCredentials(context.store, id);
  const before = context.store.delete(collection, id);
  if (before === undefined) return notFound;
  return resourceReply(200, JSON.stringify({ deleted: "1", key: before.key }));
}

function deleteCredentials(store: AdminStore, consumer: string): void {
  const collection = `consumers/${consumer}/credentials`;
  for (const { id } of store.list(collection)) store.delete(collection, id);
}

/** Wrapped so that a member named `status` cannot be taken for a reply. */
function configurationOf(body: unknown): AdminReply | { readonly value: JsonObject } {
  if (body === undefined || body === false || body === null) return refusal(400, "missing configurations");
  if (Array.isArray(body)) {
    return body.length === 0
      ? { value: {} }
      : refusal(400, "invalid configuration: additional properties forbidden, found 1");
  }
  // APISIX indexes what is not a table, which ends in a page of nginx.
  if (!isJsonObject(body)) throw new ApisixCrash();
  return { value: body };
}

/** Where APISIX's own code fails: the answer is nginx's page with 500. */
export class ApisixCrash extends Error {}

function store(
  { store, clock }: WriteContext,
  { kind, collection }: Target,
  id: string,
  conf: JsonObject,
  updateTime: unknown,
  ttl: number | undefined,
): AdminReply {
  const before = store.get(collection, id);
  const value = kind.hasTimes ? withTimes(conf, before, seconds(clock), updateTime) : conf;
  const entry = store.put(collection, id, value, JSON.stringify(shownOnRead(collection, value)), ttl);
  const shown = shownAfterWrite(collection, value);
  const json =
    shown === value && shownOnRead(collection, value) === value ? entry.json : JSON.stringify(shown);
  return resourceReply(
    before === undefined ? 201 : 200,
    `{"value":${json},"key":${JSON.stringify(entry.key)}}`,
  );
}

function withTimes(
  conf: JsonObject,
  before: AdminEntry | undefined,
  now: number,
  updateTime: unknown,
): JsonObject {
  return {
    ...conf,
    create_time: conf["create_time"] ?? before?.value["create_time"] ?? now,
    update_time: updateTime ?? now,
  };
}
