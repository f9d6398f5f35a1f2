import type { Identity } from "../apisix/types.ts";
import type { SourceKind } from "../declare/declaration.ts";
import type { Change } from "../shard/change.ts";
import type { GroupRecord } from "./group-record.ts";
import { isOccupied, mayStand, newRecord } from "./group-record.ts";
import { Names } from "./names.ts";
import { RecordIndex } from "./record-index.ts";

/** Every group that is declared or stands, by id, and by cluster and kind; and declarations that belong to no group. */
export class Records {
  readonly #byId = new Map<string, GroupRecord>();
  readonly #index = new RecordIndex();
  readonly #names = new Names();
  #standingInAll = 0;
  #routes = 0;
  readonly #strays = new Map<string, Change>();
  readonly #routeless = new Set<GroupRecord>();
  /** Of ids that are forgotten: under which something was found that is not ours. Whoever comes back there has to know it. */
  readonly strangers = new Map<string, Pick<GroupRecord, "id" | "occupied">>();
  /** Ids forgotten since a look at all of APISIX began. */
  #forgotten: Set<string> | undefined;

  get(id: string): GroupRecord | undefined {
    return this.#byId.get(id);
  }

  findOrAdd(id: string, identity: Identity): GroupRecord {
    const held = this.#byId.get(id);
    if (held !== undefined) return held;
    const record = newRecord(id, this.#named(identity));
    record.occupied = this.strangers.get(id)?.occupied ?? record.occupied;
    this.strangers.delete(id);
    this.#byId.set(id, record);
    this.#index.add(identity.cluster, record);
    return record;
  }

  /** Of names that many share one copy is kept. */
  #named({ share, cluster, kind, namespace, name, route }: Identity): Identity {
    const one = <Text extends string>(text: Text): Text => this.#names.of(text) as Text;
    return {
      share: one(share),
      cluster: one(cluster),
      kind: one(kind),
      namespace: one(namespace),
      name,
      route: one(route),
    };
  }

  /** A look at all of APISIX begins. `forgotten`: ids that are forgotten until its end: it may still show them. */
  beginLook(): { readonly forgotten: ReadonlySet<string>; readonly end: () => void } {
    const forgotten = (this.#forgotten = new Set<string>());
    return {
      forgotten,
      end: () => {
        this.#forgotten = undefined;
      },
    };
  }

  delete(record: GroupRecord): void {
    this.#forgotten?.add(record.id);
    const { id, occupied } = record;
    if (isOccupied(record)) this.strangers.set(id, { id, occupied });
    this.#byId.delete(record.id);
    this.note(record);
    for (const cluster of clustersOf(record)) this.#index.remove(cluster, record);
  }

  all(): Iterable<GroupRecord> {
    return this.#byId.values();
  }

  /** Groups of the cluster, and fleet groups in which it has a part. */
  ofCluster(cluster: string): Iterable<GroupRecord> {
    return this.#index.of(cluster);
  }

  /** Those of one kind of source. */
  ofKind(cluster: string, kind: SourceKind): Iterable<GroupRecord> {
    return this.#index.ofKind(cluster, kind);
  }

  /** Routes of ours that stand. */
  get routes(): number {
    return this.#routes;
  }

  /** Groups of which an upstream stands, and certainly no route. */
  get routeless(): Iterable<GroupRecord> {
    return this.#routeless;
  }

  /** What stands of it may have changed. */
  note(record: GroupRecord): void {
    if (isRouteless(record) && this.#byId.get(record.id) === record) this.#routeless.add(record);
    else this.#routeless.delete(record);
    const hasRoute = record.route !== undefined && this.#byId.get(record.id) === record;
    if (hasRoute !== record.isCounted.route) this.#routes += hasRoute ? 1 : -1;
    record.isCounted.route = hasRoute;
    this.#place(record);
    const stands = mayStand(record) && this.#byId.get(record.id) === record;
    if (stands === record.isCounted.group) return;
    record.isCounted.group = stands;
    const step = stands ? 1 : -1;
    for (const cluster of clustersOf(record)) this.#index.count(cluster, record, step);
    this.#standingInAll += step;
  }

  /** Brings up to date under which clusters a fleet group is found. */
  #place(record: GroupRecord): void {
    const { members, places } = record;
    if (members.length === places.length && members.every(([name], at) => places[at] === name)) return;
    const now = members.map(([cluster]) => cluster);
    for (const cluster of places) {
      if (record.isCounted.group) this.#index.count(cluster, record, -1);
      this.#index.remove(cluster, record);
    }
    for (const cluster of now) {
      this.#index.add(cluster, record);
      if (record.isCounted.group) this.#index.count(cluster, record, 1);
    }
    record.places = now;
  }

  /** Groups of which something stands: in the cluster, and in all. */
  owned(cluster: string): { readonly cluster: number; readonly all: number } {
    return { cluster: this.#index.standing(cluster), all: this.#standingInAll };
  }

  /** Groups of one kind of source in one cluster of which something stands. */
  ownedOfKind(cluster: string, kind: SourceKind): number {
    return this.#index.standingOfKind(cluster, kind);
  }

  takeStray(change: Change): void {
    if (Object.keys(change.counts).length === 0) this.#strays.delete(change.id);
    else this.#strays.set(change.id, change);
  }

  dropStrays(isOf: (identity: Identity) => boolean): void {
    for (const [id, { identity }] of this.#strays) if (isOf(identity)) this.#strays.delete(id);
  }

  strays(): Iterable<Change> {
    return this.#strays.values();
  }
}

function clustersOf({ identity, places }: GroupRecord): readonly string[] {
  return [identity.cluster, ...places];
}

function isRouteless({ upstream, route, uncertain }: GroupRecord): boolean {
  return upstream !== undefined && route === undefined && uncertain?.route !== true;
}
