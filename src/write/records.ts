import type { Identity } from "../apisix/types.ts";
import type { SourceKind } from "../declare/declaration.ts";
import type { Change } from "../shard/protocol.ts";
import type { GroupRecord } from "./group-record.ts";
import { mayStand, newRecord } from "./group-record.ts";

/** Every group that is declared or stands, by id, and by cluster and kind; and declarations that belong to no group. */
export class Records {
  readonly #byId = new Map<string, GroupRecord>();
  /** cluster → kind → records. */
  readonly #byCluster = new Map<string, Map<SourceKind, Set<GroupRecord>>>();
  /** cluster → kind → groups of which something stands. */
  readonly #standing = new Map<string, Map<SourceKind, number>>();
  #standingInAll = 0;
  #routes = 0;
  readonly #strays = new Map<string, Change>();
  readonly #routeless = new Set<GroupRecord>();
  /** Ids forgotten since a look at all of APISIX began. */
  #forgotten: Set<string> | undefined;

  get(id: string): GroupRecord | undefined {
    return this.#byId.get(id);
  }

  findOrAdd(id: string, identity: Identity): GroupRecord {
    const held = this.#byId.get(id);
    if (held !== undefined) return held;
    const record = newRecord(id, identity);
    this.#byId.set(id, record);
    const { cluster, kind } = identity;
    const kinds = this.#byCluster.get(cluster) ?? new Map<SourceKind, Set<GroupRecord>>();
    this.#byCluster.set(cluster, kinds);
    const ofKind = kinds.get(kind) ?? new Set<GroupRecord>();
    kinds.set(kind, ofKind);
    ofKind.add(record);
    return record;
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
    this.#byId.delete(record.id);
    this.note(record);
    const { cluster, kind } = record.identity;
    const kinds = this.#byCluster.get(cluster);
    kinds?.get(kind)?.delete(record);
    if (kinds?.get(kind)?.size === 0) kinds.delete(kind);
    if (kinds?.size === 0) this.#byCluster.delete(cluster);
  }

  all(): Iterable<GroupRecord> {
    return this.#byId.values();
  }

  *ofCluster(cluster: string): Iterable<GroupRecord> {
    for (const records of this.#byCluster.get(cluster)?.values() ?? []) yield* records;
  }

  /** Groups of one kind of source in one cluster. */
  ofKind(cluster: string, kind: SourceKind): Iterable<GroupRecord> {
    return this.#byCluster.get(cluster)?.get(kind) ?? [];
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
    const stands = mayStand(record) && this.#byId.get(record.id) === record;
    if (stands === record.isCounted.group) return;
    record.isCounted.group = stands;
    const step = stands ? 1 : -1;
    const { cluster, kind } = record.identity;
    const kinds = this.#standing.get(cluster) ?? new Map<SourceKind, number>();
    this.#standing.set(cluster, kinds.set(kind, (kinds.get(kind) ?? 0) + step));
    this.#standingInAll += step;
  }

  /** Groups of which something stands: in the cluster, and in all. */
  owned(cluster: string): { readonly cluster: number; readonly all: number } {
    let inCluster = 0;
    for (const count of this.#standing.get(cluster)?.values() ?? []) inCluster += count;
    return { cluster: inCluster, all: this.#standingInAll };
  }

  /** Groups of one kind of source in one cluster of which something stands. */
  ownedOfKind(cluster: string, kind: SourceKind): number {
    return this.#standing.get(cluster)?.get(kind) ?? 0;
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

function isRouteless({ upstream, route, uncertain }: GroupRecord): boolean {
  return upstream !== undefined && route === undefined && uncertain?.route !== true;
}
