import { contentDigest, contentOf, sealed } from "../apisix/canonical.ts";
import { isJsonObject } from "../apisix/json-object.ts";
import { readLabels } from "../apisix/identity.ts";
import type { JsonObject, MemberCluster, Resource } from "../apisix/types.ts";
import type { RouteShape } from "../claims/claim.ts";
import { pairHost, pairUri } from "../declare/pair.ts";
import type { Pair } from "../declare/pair.ts";
import type { Clock, Log } from "../runtime.ts";
import type { ReadResult, WriteResult } from "../apisix/judge-answer.ts";
import type { Admin, Failure } from "./admin.ts";
import type { BodiesAhead } from "./bodies-ahead.ts";
import type { GroupRecord } from "./group-record.ts";
import type { KeyLock } from "./key-lock.ts";
import type { WriteObserver } from "./outcome.ts";
import type { Lane, Pacer } from "./pacer.ts";
import type { Wanted } from "./shard-port.ts";
import type { Standings } from "./standings.ts";
import { membersIn } from "./standings.ts";

/** Every DELETE rests on a look at its id that is not older than this. */
const longestLook = 30_000;

export interface RequestParts {
  readonly instance: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly admin: Admin;
  readonly bodies: BodiesAhead;
  readonly pacer: Pacer;
  readonly locks: KeyLock;
  readonly standings: Standings;
  readonly observer: WriteObserver;
  /** Started, not stopped and not paused. */
  readonly isAtWork: () => boolean;
  /** Asked again right before each request that changes something. */
  readonly mayWrite: (record: GroupRecord, resource: Resource) => boolean;
  /** A look has found that this is not ours. */
  readonly occupied: (record: GroupRecord, resource: Resource) => void;
  /** Judges a failed request: breaker, backoff, rejection, uncertainty. */
  readonly failed: (
    record: GroupRecord,
    resource: Resource,
    result: Failure,
    attempt: RouteShape | null | undefined,
  ) => void;
  readonly succeeded: (record: GroupRecord, resource: Resource) => void;
}

/**
 * `done`: what should stand stands. `dropped`: there was nothing to do any more. `failed`: judged, and taken up again.
 * `held`: what was to be written must not be any more (its cluster is out of sight, say); taken up when it may.
 */
export type RequestEnd = "done" | "dropped" | "failed" | "held";

/** The requests that are made for one group, each under its lock and in its lane. */
export class GroupRequests {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /** Writes the upstream as its shard builds it now. */
  writeUpstream(record: GroupRecord, lane: Lane): Promise<RequestEnd> {
    return this.#turn(record, lane, async () => {
      record.dirty.upstream = false;
      const { at } = record;
      record.at = undefined;
      const wanted = await this.#parts.bodies.take(record, "upstream");
      if (wanted.type === "stale") return "dropped";
      if (wanted.type === "same") return this.#same(record, "upstream", lane);
      const end = await this.#put(record, "upstream", wanted, lane, at);
      if (end !== "done") record.dirty.upstream = true;
      return end;
    });
  }

  /** Writes the route with the pairs that were granted, if they still may be taken. */
  writeRoute(record: GroupRecord, pairs: readonly Pair[], isStill: () => boolean): Promise<RequestEnd> {
    return this.#turn(record, "burst", async () => {
      if (!isStill() || !standsForCertain(record.upstream)) return "held";
      record.dirty.route = false;
      const { at } = record;
      record.at = undefined;
      const wanted = await this.#parts.bodies.take(record, "route", pairs);
      if (wanted.type === "stale") return "dropped";
      if (wanted.type === "same") return this.#same(record, "route", "burst");
      const end = await this.#put(record, "route", wanted, "burst", at);
      if (end !== "done") record.dirty.route = true;
      return end;
    });
  }

  /**
   * Takes all nodes out of the upstream as it stands, if it still is to be; everything else of it stays. `may`: otherwise
   * only what may be written anyway.
   */
  emptyUpstream(
    record: GroupRecord,
    isStill: () => boolean,
    may: () => boolean = () => this.#parts.mayWrite(record, "upstream"),
  ): Promise<RequestEnd> {
    return this.#turn(record, "drip", async () => {
      if (!isStill()) return "dropped";
      const found = await this.#look(record, "upstream");
      if (found === "failed") return "failed";
      if (found === undefined) return "done";
      const nodes = found["nodes"];
      if (Array.isArray(nodes) && nodes.length === 0) return "done";
      if (!isStill()) return "dropped";
      const body = sealed({ ...contentOf(found), nodes: [] });
      const written = { ...body, members: membersIn(record, found) };
      return this.#send(record, "upstream", written, "drip", undefined, record.at, may);
    });
  }

  /**
   * The upstream as it stands, with another value of a label that it has; sent though its cluster is out of sight, for an
   * operator asks for it.
   */
  relabelUpstream(record: GroupRecord, label: string, value: string): Promise<RequestEnd> {
    return this.#turn(record, "drip", async () => {
      const found = await this.#look(record, "upstream");
      if (found === "failed") return "failed";
      const content = found && contentOf(found);
      const labels = content?.["labels"];
      if (!isJsonObject(labels) || labels[label] === undefined || labels[label] === value) return "done";
      const body = sealed({ ...content, labels: { ...labels, [label]: value } });
      const written = {
        ...body,
        members: membersIn(record, { ...content, labels: { ...labels, [label]: value } }),
      };
      return this.#send(record, "upstream", written, "drip", undefined, undefined, this.#parts.isAtWork);
    });
  }

  /** The route as read back, cut to these hosts and uris. */
  narrowRoute(record: GroupRecord, shape: RouteShape, isStill: () => boolean): Promise<RequestEnd> {
    return this.#turn(record, "burst", async () => {
      if (!isStill()) return "dropped";
      const found = await this.#look(record, "route");
      if (found === "failed") return "failed";
      if (found === undefined) return "done";
      if (!isStill()) return "dropped";
      const { host: _host, uri: _uri, ...rest } = contentOf(found);
      const body = sealed({ ...rest, hosts: shape.hosts, uris: shape.uris });
      return this.#putText(record, "route", body, "burst", shape, undefined);
    });
  }

  /** Deletes the route, then the upstream, if a fresh look finds that they are ours and they still are to go. */
  async remove(record: GroupRecord, what: "route" | "both", isStill: () => boolean): Promise<RequestEnd> {
    const route = await this.#turn(record, "burst", () => this.#removeOne(record, "route", isStill));
    if (route !== "done" || what === "route") return route;
    return this.#turn(record, "burst", () => this.#removeOne(record, "upstream", isStill));
  }

  /** Reads both resources of an id; `failed` when one cannot be read now. */
  lookAt(record: GroupRecord): Promise<{ upstream: JsonObject | null; route: JsonObject | null } | "failed"> {
    return this.#turn(record, "drip", async () => {
      const upstream = await this.#look(record, "upstream");
      const route = await this.#look(record, "route");
      if (upstream === "failed" || route === "failed") return "failed";
      record.lookedAt = this.#parts.clock.now();
      return { upstream: upstream ?? null, route: route ?? null };
    });
  }

  #turn<T>(record: GroupRecord, lane: Lane, work: () => Promise<T>): Promise<T> {
    const { locks, pacer } = this.#parts;
    return locks.run(record.id, () => pacer.run(lane, work));
  }

  /** While it lasts, and for looks that began before its end, what stands cannot be told by others. */
  async #ask<T>(record: GroupRecord, request: Promise<T>): Promise<T> {
    record.atWork = true;
    try {
      return await request;
    } finally {
      record.atWork = false;
      record.endedAt = this.#parts.clock.now();
    }
  }

  #same(record: GroupRecord, resource: Resource, lane: Lane): RequestEnd {
    this.#parts.log.debug(
      { id: record.id, resource, lane },
      "nothing to write: what stands is what is declared",
    );
    return "done";
  }

  #put(
    record: GroupRecord,
    resource: Resource,
    wanted: Extract<Wanted, { type: "body" }>,
    lane: Lane,
    at: number | undefined,
  ): Promise<RequestEnd> {
    const shape = wanted.pairs === undefined ? undefined : shapeOf(wanted.pairs);
    return this.#putText(
      record,
      resource,
      { text: wanted.body, digest: wanted.digest, members: wanted.members ?? [] },
      lane,
      shape,
      at,
    );
  }

  #putText(
    record: GroupRecord,
    resource: Resource,
    body: Written,
    lane: Lane,
    shape: RouteShape | undefined,
    at: number | undefined,
  ): Promise<RequestEnd> {
    const { mayWrite } = this.#parts;
    return this.#send(record, resource, body, lane, shape, at, () => mayWrite(record, resource));
  }

  async #send(
    record: GroupRecord,
    resource: Resource,
    body: Written,
    lane: Lane,
    shape: RouteShape | undefined,
    at: number | undefined,
    isAllowed: () => boolean,
  ): Promise<RequestEnd> {
    const { admin, standings } = this.#parts;
    if (!isAllowed()) return "held";
    const { members = [] } = body;
    // Whatever becomes of the request, what stands afterwards names no other clusters than these.
    if (resource === "upstream") record.members = unionOf(record.members, members);
    const started = this.#parts.clock.now();
    const result = await this.#ask(record, admin.put(resource, record.id, body.text));
    this.#observe(record, "PUT", resource, lane, result, started, at);
    if (result.type !== "done") {
      this.#parts.failed(record, resource, result, shape);
      return "failed";
    }
    if (resource === "upstream") standings.upstream(record, { digest: body.digest }, members);
    else if (shape !== undefined) standings.route(record, { digest: body.digest, shape });
    record.lastWrite = { at: this.#parts.clock.wall(), resource, status: result.status };
    this.#parts.succeeded(record, resource);
    return "done";
  }

  async #removeOne(record: GroupRecord, resource: Resource, isStill: () => boolean): Promise<RequestEnd> {
    const { admin, standings, clock } = this.#parts;
    if (record[resource] === undefined) return "done";
    // Whoever has taken the route out of our hands may use the upstream still: it goes after that route.
    if (resource === "upstream" && record.occupied.route !== undefined) return "held";
    if (record.lookedAt === undefined || clock.now() - record.lookedAt > longestLook) {
      const found = await this.#look(record, resource);
      if (found === "failed") return "failed";
      if (found === undefined) return "done";
    }
    if (!isStill()) return "dropped";
    if (!this.#parts.mayWrite(record, resource)) return "held";
    const started = clock.now();
    const result = await this.#ask(record, admin.remove(resource, record.id));
    this.#observe(record, "DELETE", resource, "burst", result, started, undefined);
    if (result.type !== "done") {
      this.#parts.failed(record, resource, result, resource === "route" ? null : undefined);
      return "failed";
    }
    standings.gone(record, resource);
    record.lastWrite = { at: clock.wall(), resource, status: result.status };
    this.#parts.succeeded(record, resource);
    return "done";
  }

  /** What stands, if it is ours; the standings follow what was seen. Undefined: nothing of ours stands there. */
  async #look(record: GroupRecord, resource: Resource): Promise<JsonObject | undefined | "failed"> {
    const { admin, standings, instance, log } = this.#parts;
    const read: ReadResult = await this.#ask(record, admin.read(resource, record.id));
    if (read.type === "retry") {
      this.#parts.failed(record, resource, read, undefined);
      return "failed";
    }
    if (read.type === "absent") {
      standings.gone(record, resource);
      return undefined;
    }
    if (!readLabels(instance, record.id, read.object).ours) {
      const advice = "give the object another id or delete it; the translator never touches it";
      if (record.occupied[resource] === undefined)
        log.warn({ id: record.id, resource, advice }, "an object that is not ours stands under our id");
      record.occupied[resource] = this.#parts.clock.now();
      this.#parts.occupied(record, resource);
      standings.gone(record, resource);
      return undefined;
    }
    standings.found(record, resource, read.object, contentDigest(read.object));
    return read.object;
  }

  #observe(
    record: GroupRecord,
    method: "PUT" | "DELETE",
    resource: Resource,
    lane: Lane,
    result: WriteResult,
    started: number,
    at: number | undefined,
  ): void {
    const now = this.#parts.clock.now();
    this.#parts.observer.wrote({
      ...{ lane, method, resource, id: record.id, outcome: result.type, seconds: (now - started) / 1000 },
      propagation: result.type === "done" && at !== undefined ? now - at : undefined,
    });
  }
}

interface Written {
  readonly text: string;
  readonly digest: string;
  /** Clusters that a fleet group's upstream names. */
  readonly members?: readonly MemberCluster[];
}

function unionOf(a: readonly MemberCluster[], b: readonly MemberCluster[]): readonly MemberCluster[] {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  return [...new Map([...a, ...b])];
}

/** Whether it is known to stand, and not only hoped for: a route may refer to it. */
export function standsForCertain(upstream: GroupRecord["upstream"]): boolean {
  return upstream !== undefined && upstream.digest !== "";
}

/** Hosts × uris of a route's pairs. */
function shapeOf(pairs: readonly Pair[]): RouteShape {
  return { hosts: [...new Set(pairs.map(pairHost))], uris: [...new Set(pairs.map(pairUri))] };
}
