import { readLabels } from "../apisix/identity.ts";
import type { ReadResult, WriteResult } from "../apisix/judge-answer.ts";
import type { JsonObject, MemberCluster, Resource } from "../apisix/types.ts";
import type { RouteShape } from "../claims/claim.ts";
import type { Clock, Log, TimeStage } from "../runtime.ts";
import type { Admin, Failure } from "./admin.ts";
import type { GroupRecord } from "./group-record.ts";
import type { WriteObserver } from "./outcome.ts";
import type { Lane } from "./pacer.ts";
import type { Attempt } from "./retries.ts";
import type { Standings } from "./standings.ts";
import { unionOf } from "./union-of.ts";

/** Every DELETE rests on a look at its id that is not older than this. */
const longestLook = 30_000;
/** After so many checks in a row without a judgement, the write decides. */
const checksAtMost = 5;

export interface ResourceRequestParts {
  readonly instance: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly admin: Admin;
  readonly standings: Standings;
  readonly observer: WriteObserver;
  /** Asked again right before each request that changes something. */
  readonly mayWrite: (record: GroupRecord, resource: Resource) => boolean;
  /** A look has found that this is not ours. */
  readonly occupied: (record: GroupRecord, resource: Resource) => void;
  /** Judges a failed request: breaker, backoff, rejection, uncertainty. */
  readonly failed: (record: GroupRecord, resource: Resource, result: Failure, attempt: Attempt) => void;
  readonly time?: TimeStage;
  readonly succeeded: (record: GroupRecord, resource: Resource) => void;
}

/**
 * `done`: what should stand stands. `dropped`: there was nothing to do any more. `failed`: judged, and taken up again.
 * `held`: what was to be written must not be any more (its cluster is out of sight, say); taken up when it may.
 */
export type RequestEnd = "done" | "dropped" | "failed" | "held";

/** What a PUT is to make stand. */
interface Written {
  readonly text: string;
  readonly digest: string;
  /** Clusters that a fleet group's upstream names. */
  readonly members?: readonly MemberCluster[];
  /** Of an upstream; undefined: not known, but where it has none. */
  readonly nodes?: number | undefined;
}

/** How a PUT goes out. */
interface Sending {
  readonly lane: Lane;
  /** Of a route: hosts × uris. */
  readonly shape?: RouteShape | undefined;
  /** It takes pairs away from what stands. */
  readonly isCut?: boolean;
  /** It is what stands, emptied or relabelled, and not what is declared. */
  readonly isOwn?: boolean;
  /** `Clock.now()` at which the oldest event behind it was read. */
  readonly at?: number | undefined;
  /** In place of what may be written anyway. */
  readonly may?: () => boolean;
}

const untimed: TimeStage = (_stage, work) => work();

/** Single requests for a group's upstream or route: standings follow each answer, and a failure is judged. */
export class ResourceRequests {
  readonly #parts: ResourceRequestParts;

  constructor(parts: ResourceRequestParts) {
    this.#parts = parts;
  }

  /** Writes it, if it may be written now. */
  async put(
    record: GroupRecord,
    resource: Resource,
    body: Written,
    { lane, shape, isCut, isOwn, at, may = () => this.#parts.mayWrite(record, resource) }: Sending,
  ): Promise<RequestEnd> {
    const { admin, standings } = this.#parts;
    if (!may()) return "held";
    const { members = [] } = body;
    // Whatever becomes of the request, what stands afterwards names no other clusters than these.
    if (resource === "upstream") record.members = unionOf(record.members, members);
    const started = this.#parts.clock.now();
    const said = record.change;
    const result = await this.#ask(record, admin.put(resource, record.id, body.text));
    const { time = untimed } = this.#parts;
    return time("write", () => {
      this.#observe(record, "PUT", resource, lane, result, started, at);
      if (result.type !== "done") {
        const failure = record.change === said ? result : asOutdated(result);
        this.#parts.failed(record, resource, failure, { shape, isCut, isOwn, members });
        return "failed";
      }
      const { text, digest } = body;
      const nodes = hasNoNodes(text) ? 0 : body.nodes;
      if (resource === "upstream") standings.upstream(record, { digest, nodes }, members);
      else if (shape !== undefined) standings.route(record, { digest: body.digest, shape });
      record.lastWrite = { at: this.#parts.clock.wall(), resource, status: result.status };
      this.#parts.succeeded(record, resource);
      return "done";
    });
  }

  /** Asks whether it would be accepted; a refusal is judged as that of a write. Where APISIX cannot say, the write decides. */
  async check(record: GroupRecord, resource: Resource, body: string): Promise<RequestEnd> {
    if (!this.#parts.mayWrite(record, resource)) return "held";
    const said = record.change;
    const result = await this.#ask(record, this.#parts.admin.check(resource, body));
    if (result.type === "done" || result.type === "unable") return "done";
    // Whatever stands between, and answers checks with errors for good, keeps nobody from moving.
    if (result.type === "retry" && record.failures >= checksAtMost) return "done";
    this.#parts.failed(record, resource, record.change === said ? result : asOutdated(result), {});
    return "failed";
  }

  /** Deletes it, if a look that is fresh enough finds that it is ours, and it still is to go. */
  async remove(record: GroupRecord, resource: Resource, isStill: () => boolean): Promise<RequestEnd> {
    const { admin, standings, clock } = this.#parts;
    if (record[resource] === undefined) return "done";
    // Whoever has taken the route out of our hands may use the upstream still: it goes after that route.
    if (resource === "upstream" && record.occupied.route !== undefined) return "held";
    if (record.lookedAt === undefined || clock.now() - record.lookedAt > longestLook) {
      const found = await this.look(record, resource);
      if (found === "failed") return "failed";
      if (found === undefined) return "done";
    }
    if (!isStill()) return "dropped";
    if (!this.#parts.mayWrite(record, resource)) return "held";
    const started = clock.now();
    const result = await this.#ask(record, admin.remove(resource, record.id));
    this.#observe(record, "DELETE", resource, "burst", result, started, undefined);
    if (result.type !== "done") {
      this.#parts.failed(record, resource, result, { shape: null, isCut: true });
      return "failed";
    }
    standings.gone(record, resource);
    record.lastWrite = { at: clock.wall(), resource, status: result.status };
    this.#parts.succeeded(record, resource);
    return "done";
  }

  /** What stands, if it is ours; the standings follow what was seen. Undefined: nothing of ours stands there. */
  async look(record: GroupRecord, resource: Resource): Promise<JsonObject | undefined | "failed"> {
    const { admin, standings, instance, log } = this.#parts;
    const read: ReadResult = await this.#ask(record, admin.read(resource, record.id));
    if (read.type === "retry") {
      // Something answered that does not say whose it is: what was read before is not what was read last.
      if (read.status === 200) record.misread = true;
      this.#parts.failed(record, resource, read, {});
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
      record.occupied = { ...record.occupied, [resource]: this.#parts.clock.now() };
      this.#parts.occupied(record, resource);
      standings.gone(record, resource, read.object);
      return undefined;
    }
    standings.found(record, resource, read.object);
    return read.object;
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

/** A refusal says nothing of what is declared by now, which is not kept waiting for it. */
function asOutdated(result: Failure): Failure {
  if (result.type !== "refused") return result;
  return { type: "retry", reason: result.message, scope: "id", status: result.status };
}

/** Of a body of ours: in what its texts say the quotes are escaped. */
function hasNoNodes(upstream: string): boolean {
  return upstream.includes('"nodes":[]');
}
