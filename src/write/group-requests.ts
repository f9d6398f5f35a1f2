import { contentOf, sealed } from "../apisix/canonical.ts";
import { isJsonObject } from "../apisix/json-object.ts";
import { nodeCount } from "../apisix/node-count.ts";
import type { JsonObject, Resource } from "../apisix/types.ts";
import type { RouteShape } from "../claims/claim.ts";
import { pairHost, pairUri } from "../declare/pair.ts";
import type { Pair } from "../declare/pair.ts";
import type { Clock, Log } from "../runtime.ts";
import type { BodiesAhead } from "./bodies-ahead.ts";
import type { GroupRecord } from "./group-record.ts";
import { standsForCertain } from "./group-record.ts";
import type { KeyLock } from "./key-lock.ts";
import type { Lane, Pacer } from "./pacer.ts";
import type { RequestEnd, ResourceRequests } from "./resource-requests.ts";
import type { Wanted } from "./shard-port.ts";
import { membersIn } from "./standings.ts";

export interface RequestParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly bodies: BodiesAhead;
  readonly pacer: Pacer;
  readonly locks: KeyLock;
  /** Started, not stopped and not paused. */
  readonly isAtWork: () => boolean;
  readonly resources: ResourceRequests;
}

/** The requests that are made for one group, each under its lock and in its lane. */
export class GroupRequests {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /** Writes the upstream as its shard builds it now; in the drip lane only while something of the group stands. */
  writeUpstream(record: GroupRecord, lane: Lane): Promise<RequestEnd> {
    return this.#writing(record, lane, async () => {
      if (lane === "drip" && record.upstream === undefined && record.route === undefined) return "dropped";
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
    return this.#writing(record, "burst", async () => {
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

  /** Asks APISIX whether it accepts the body as its shard builds it now. */
  check(record: GroupRecord, resource: Resource, pairs?: readonly Pair[]): Promise<RequestEnd> {
    return this.#turn(record, "burst", async () => {
      const wanted = await this.#parts.bodies.take(record, resource, pairs);
      if (wanted.type === "stale") return "dropped";
      return wanted.type === "same" ? "done" : this.#parts.resources.check(record, resource, wanted.body);
    });
  }

  /**
   * Takes all nodes out of the upstream as it stands, if it still is to be; everything else of it stays. `may`: otherwise
   * only what may be written anyway. `bare`: there were none to take.
   */
  emptyUpstream(
    record: GroupRecord,
    isStill: () => boolean,
    may?: () => boolean,
  ): Promise<RequestEnd | "bare"> {
    return this.#turn<RequestEnd | "bare">(record, "drip", async () => {
      if (!isStill()) return "dropped";
      const found = await this.#parts.resources.look(record, "upstream");
      if (found === "failed") return "failed";
      if (found === undefined || nodeCount(found) === 0) return "bare";
      if (!isStill()) return "dropped";
      const body = sealed({ ...contentOf(found), nodes: [] });
      const written = { ...body, members: membersIn(record, found) };
      const sending = {
        lane: "drip",
        isOwn: true,
        at: record.at,
        ...(may === undefined ? {} : { may }),
      } as const;
      return this.#parts.resources.put(record, "upstream", written, sending);
    });
  }

  /**
   * The upstream as it stands, with another value of a label that it has; sent though its cluster is out of sight, for an
   * operator asks for it.
   */
  relabelUpstream(record: GroupRecord, label: string, value: string): Promise<RequestEnd> {
    return this.#turn(record, "drip", async () => {
      const found = await this.#parts.resources.look(record, "upstream");
      if (found === "failed") return "failed";
      const content = found && contentOf(found);
      const labels = content?.["labels"];
      if (!isJsonObject(labels) || labels[label] === undefined || labels[label] === value) return "done";
      const body = sealed({ ...content, labels: { ...labels, [label]: value } });
      const written = {
        ...body,
        members: membersIn(record, { ...content, labels: { ...labels, [label]: value } }),
      };
      const { resources, isAtWork } = this.#parts;
      return resources.put(record, "upstream", written, { lane: "drip", isOwn: true, may: isAtWork });
    });
  }

  /** The route as read back, cut to these hosts and uris. */
  narrowRoute(record: GroupRecord, shape: RouteShape, isStill: () => boolean): Promise<RequestEnd> {
    return this.#turn(record, "burst", async () => {
      if (!isStill()) return "dropped";
      const found = await this.#parts.resources.look(record, "route");
      if (found === "failed") return "failed";
      if (found === undefined) return "done";
      if (!isStill()) return "dropped";
      const { host: _host, uri: _uri, ...rest } = contentOf(found);
      const body = sealed({ ...rest, hosts: shape.hosts, uris: shape.uris });
      return this.#parts.resources.put(record, "route", body, { lane: "burst", shape, isCut: true });
    });
  }

  /** Deletes the route, then the upstream, if a fresh look finds that they are ours and they still are to go. */
  async remove(record: GroupRecord, what: "route" | "both", isStill: () => boolean): Promise<RequestEnd> {
    const route = await this.#writing(record, "burst", () =>
      this.#parts.resources.remove(record, "route", isStill),
    );
    if (route !== "done" || what === "route") return route;
    return this.#writing(record, "burst", () => this.#parts.resources.remove(record, "upstream", isStill));
  }

  /** Reads both resources of an id; `failed` when one cannot be read now. */
  lookAt(record: GroupRecord): Promise<{ upstream: JsonObject | null; route: JsonObject | null } | "failed"> {
    return this.#turn(record, "drip", () => this.#lookAtBoth(record));
  }

  async #lookAtBoth(
    record: GroupRecord,
  ): Promise<{ upstream: JsonObject | null; route: JsonObject | null } | "failed"> {
    const upstream = await this.#parts.resources.look(record, "upstream");
    const route = await this.#parts.resources.look(record, "route");
    if (upstream === "failed" || route === "failed") return "failed";
    record.lookedAt = this.#parts.clock.now();
    record.misread = false;
    return { upstream: upstream ?? null, route: route ?? null };
  }

  /** Of what does not look for itself: what was misread is read before. */
  #writing(record: GroupRecord, lane: Lane, work: () => Promise<RequestEnd>): Promise<RequestEnd> {
    return this.#turn(record, lane, async () => {
      if (record.misread && (await this.#lookAtBoth(record)) === "failed") return "failed";
      return work();
    });
  }

  #turn<T>(record: GroupRecord, lane: Lane, work: () => Promise<T>): Promise<T> {
    const { locks, pacer } = this.#parts;
    return locks.run(record.id, () => pacer.run(lane, work));
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
    const { body: text, digest, members = [], nodes } = wanted;
    return this.#parts.resources.put(record, resource, { text, digest, members, nodes }, { lane, shape, at });
  }
}

/** Hosts × uris of a route's pairs. */
function shapeOf(pairs: readonly Pair[]): RouteShape {
  return { hosts: [...new Set(pairs.map(pairHost))], uris: [...new Set(pairs.map(pairUri))] };
}
