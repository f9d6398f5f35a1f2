import type { Identity } from "../apisix/types.ts";
import type { Claims } from "../claims/claims.ts";
import type { Change } from "../shard/change.ts";
import type { BuiltBody, GonePart } from "../shard/protocol.ts";
import type { BodiesAhead } from "./bodies-ahead.ts";
import type { GroupFlow } from "./group-flow.ts";
import { isPurged, type GroupRecord } from "./group-record.ts";
import { inWordsOf } from "./in-words-of.ts";
import type { Limiting } from "./limiting.ts";
import type { Records } from "./records.ts";
import type { Removals } from "./removals.ts";

export interface ShardWordsParts {
  readonly claims: Claims;
  readonly records: Records;
  readonly limiting: Limiting;
  readonly removals: Removals;
  readonly bodies: BodiesAhead;
  readonly flow: GroupFlow;
  readonly bursts: () => { wake(): void };
  /** A request of it is under way or waits for its turn. */
  readonly isBusy: (id: string) => boolean;
  readonly regate: (records: Iterable<GroupRecord>) => void;
  /** What is to be told of a group may have changed. */
  readonly touched: (record: GroupRecord) => void;
  /** News of declarations that belong to no group. */
  readonly strayed: (change: Change) => void;
}

/** What the shards say, and what becomes of it when a shard or a cluster is lost. */
export class ShardWords {
  readonly #parts: ShardWordsParts;

  constructor(parts: ShardWordsParts) {
    this.#parts = parts;
  }

  /** What a shard has said; `bodies` are those of some of its changes. */
  takeAll(changes: readonly Change[], bodies: readonly BuiltBody[] = []): void {
    const bodyOf = new Map(bodies.map((body) => [body.id, body]));
    for (const change of this.#parts.limiting.judge(changes))
      this.take(change, change.limited !== undefined ? undefined : bodyOf.get(change.id));
  }

  /** A word on one group, of its shard or in its place. */
  take(said: Change, body?: BuiltBody): void {
    const { records, bodies, flow, bursts, strayed, touched } = this.#parts;
    if (said.identity.route === "") {
      records.takeStray(said);
      return strayed(said);
    }
    const record = records.findOrAdd(said.id, said.identity);
    const change = inWordsOf(record, said);
    bodies.heard(record, change, body);
    flow.take(record, change);
    touched(record);
    bursts().wake();
  }

  /** Parts of fleet groups that a list took away, or that are there again. A group that is forgotten has none. */
  takeParts(parts: readonly GonePart[]): void {
    const { records, removals } = this.#parts;
    for (const { id, cluster, isGone } of parts) {
      const record = records.get(id);
      if (record !== undefined) removals.ofParts.note(record, cluster, isGone);
    }
  }

  /** A shard asks for what stands under an id; it is told. */
  need(id: string, identity: Identity): Promise<void> {
    return this.#parts.flow.questions.need(id, identity);
  }

  /** The shard that spoke of these groups is lost: what it said counts no more, what stands stands. `among`: none of them is elsewhere. */
  unhear(isOf: (identity: Identity) => boolean, among = this.#parts.records.all()): void {
    const { limiting, records, removals, flow } = this.#parts;
    limiting.unhear(isOf);
    for (const record of among) {
      if (!isOf(record.identity)) continue;
      record.change = undefined;
      removals.ofParts.unhear(record);
      flow.gate(record);
    }
    records.dropStrays(isOf);
  }

  /** Their shard has said everything anew: what it did not mention, and of which nothing stands, is gone. */
  rehear(isOf: (identity: Identity) => boolean, among = this.#parts.records.all()): void {
    const { limiting, removals, flow, isBusy, regate } = this.#parts;
    const heard = [...among].filter(({ identity }) => isOf(identity));
    for (const record of heard) {
      removals.ofParts.rehear(record);
      if (!isBusy(record.id)) flow.finalize(record);
    }
    limiting.rehear(isOf);
    regate(heard);
  }

  /** A cluster is not watched any more: what was said of it counts no more, what stands of it stands, unless it is purged. */
  leave(cluster: string): void {
    const isOf = (identity: Identity): boolean => identity.cluster === cluster;
    const { claims, flow, records, removals } = this.#parts;
    removals.forget(cluster);
    const left = [...records.ofCluster(cluster)].filter((record) => !isPurged(record));
    for (const record of left) {
      // What a fleet group is now, its shard says.
      if (!isOf(record.identity)) continue;
      removals.cancel(record);
      // A removal that was begun and could not be sent: when the cluster is back, it may be declared again.
      flow.removal.stay(record);
      Object.assign(record, { claim: undefined, dirty: { upstream: false, route: false } });
      claims.hold(record.id);
    }
    this.unhear(isOf, left);
    this.rehear(isOf, left);
  }
}
