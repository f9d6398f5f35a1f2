import { memberClusters } from "../apisix/identity.ts";
import { nodeCount } from "../apisix/node-count.ts";
import type { OwnedUpstream } from "../apisix/snapshot.ts";
import { standingOf } from "../apisix/standing-of.ts";
import type { JsonObject, MemberCluster, Resource, Standing } from "../apisix/types.ts";
import type { RouteShape } from "../claims/claim.ts";
import type { Claims } from "../claims/claims.ts";
import type { GroupRecord, StandingUpstream } from "./group-record.ts";
import { contentOf, knownOf } from "./known-of.ts";
import type { Records } from "./records.ts";
import type { ShardPort } from "./shard-port.ts";
import { unionOf } from "./union-of.ts";

/** Shared by all records of which nothing else is to be said. */
const nobody: readonly MemberCluster[] = [];

/**
 * The one place where what stands in APISIX is written down: in the record, in the claims, and in the shard. While an
 * id is uncertain the claims keep every pair that it may stand on, and every cluster that may come to have a part has one.
 */
export class Standings {
  readonly #claims: Claims;
  readonly #records: Records;
  readonly #shards: Pick<ShardPort, "known">;

  constructor(claims: Claims, shards: Pick<ShardPort, "known">, records: Records) {
    this.#records = records;
    this.#claims = claims;
    this.#shards = shards;
  }

  /** `members`: the clusters that a fleet group's upstream names. */
  upstream(record: GroupRecord, standing: StandingUpstream, members: readonly MemberCluster[]): void {
    record.upstream = standing;
    record.named = nobody;
    this.#name(record, members);
    this.#tell(record);
  }

  route(
    record: GroupRecord,
    standing: Standing & { readonly shape: RouteShape },
    createdIndex?: number,
  ): void {
    record.route = standing;
    this.#claim(record, standing.shape, createdIndex);
    this.#tell(record);
  }

  /** `other`: what stands there and is not ours. */
  gone(record: GroupRecord, resource: Resource, other?: JsonObject): void {
    record[resource] = undefined;
    if (resource === "upstream") {
      record.named = other === undefined ? nobody : membersIn(record, other);
      this.#name(record, []);
    }
    if (resource === "route") this.#claim(record, null);
    this.#tell(record);
  }

  /** An object of ours as read just now. */
  found(record: GroupRecord, resource: Resource, object: JsonObject): void {
    const standing = standingOf(object);
    const nodes = nodeCount(object);
    if (resource === "upstream") this.upstream(record, { ...standing, nodes }, membersIn(record, object));
    else this.route(record, { ...standing, shape: readShape(object) });
  }

  /**
   * Both resources as a look at all of APISIX found them; undefined: not there, or not ours. `named`: clusters that a
   * fleet group's upstream names which is not ours.
   */
  looked(
    record: GroupRecord,
    upstream: (Standing & Pick<OwnedUpstream, "members" | "nodes">) | undefined,
    route: (Standing & { readonly shape: RouteShape; readonly createdIndex: number }) | undefined,
    named: readonly MemberCluster[] = nobody,
  ): void {
    record.named = named;
    record.upstream = upstream && { ...contentOf(upstream), nodes: upstream.nodes };
    this.#name(record, record.identity.share === "fleet" ? (upstream?.members ?? []) : []);
    record.route = route;
    this.#claim(record, route?.shape ?? null, route?.createdIndex);
    this.#tell(record);
  }

  /** A request ended without an answer: its content is not known, and it may stand on these pairs too. */
  unknown(record: GroupRecord, resource: Resource, attempt: RouteShape | null | undefined): void {
    if (resource === "upstream") record.upstream = { digest: "" };
    else {
      record.route = { digest: "", shape: attempt ?? record.route?.shape ?? { hosts: [], uris: [] } };
      this.#claims.uncertain(record.id, attempt ?? null);
    }
    this.#tell(record);
  }

  /** Its own request has not been read back, but a route was seen there since, which may be another's: it may stand on both. */
  mayStandAt(record: GroupRecord, shape: RouteShape): void {
    const { okAt, members = [] } = record.uncertain ?? {};
    record.uncertain = { okAt, route: true, members };
    this.#claims.uncertain(record.id, shape);
    this.#tell(record);
  }

  /** The route's write was answered, or was not needed: the claim's request is over. */
  confirm(record: GroupRecord): void {
    this.#claim(record, record.route?.shape ?? null);
  }

  /** Everything of it has been read: nothing is uncertain any more. `upstream`: as it was read; null: none of ours stands. */
  certain(record: GroupRecord, upstream: JsonObject | null): void {
    record.uncertain = undefined;
    // What is being sent by now names who may have a part.
    if (!record.atWork) this.#name(record, upstream === null ? [] : membersIn(record, upstream));
    this.#tell(record);
    this.#claims.stands(record.id, record.identity, record.route?.shape ?? null);
  }

  /** Whoever takes a label off an upstream tells nothing of the clusters whose nodes are in it. */
  #name(record: GroupRecord, members: readonly MemberCluster[]): void {
    record.members = unionOf(unionOf(record.uncertain?.members ?? [], record.named), members);
  }

  #claim(record: GroupRecord, shape: RouteShape | null, createdIndex?: number): void {
    if (record.uncertain?.route === true) this.#claims.uncertain(record.id, shape);
    else this.#claims.stands(record.id, record.identity, shape, createdIndex);
  }

  #tell(record: GroupRecord): void {
    this.#records.note(record);
    this.#shards.known(knownOf(record));
  }
}

/** Whose the upstream of a fleet group is, from its labels. */
export function membersIn({ identity }: GroupRecord, upstream: JsonObject): readonly MemberCluster[] {
  return identity.share === "fleet" ? memberClusters(upstream) : [];
}

/** What a route of ours matches, from its body as read. */
function readShape(object: JsonObject): RouteShape {
  return { hosts: texts(object, "hosts", "host"), uris: texts(object, "uris", "uri") };
}

function texts(object: JsonObject, many: string, one: string): string[] {
  const list = object[many];
  const found = Array.isArray(list) ? list : [object[one]];
  return found.filter((value): value is string => typeof value === "string");
}
