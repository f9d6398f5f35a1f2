import type { Following } from "./following.ts";
import type { Shards } from "./shard/shards.ts";
import { sourceKinds } from "./store/source-kinds.ts";
import type { Kind } from "./watch/events.ts";
import type { GroupRecord } from "./write/group-record.ts";
import type { Writer } from "./write/writer.ts";

export interface VisibilityParts {
  readonly following: Following;
  readonly shards: Pick<Shards, "caughtUp">;
  readonly writer: Writer;
  /** Whether objects of this namespace are listed at all. */
  readonly covers: (place: { readonly cluster: string; readonly namespace: string }) => boolean;
  readonly fault: (error: unknown) => void;
}

/** A group, as far as it says what it rests on. */
export type Rested = Pick<GroupRecord, "identity" | "members" | "change">;

/** Which groups may be written, by what is seen of the clusters that they rest on. */
export class Visibility {
  readonly #parts: VisibilityParts;
  /** Clusters that have left the configuration, while a shard may still speak of what it saw before. */
  readonly #leaving = new Map<string, symbol>();
  /** Clusters that are gone for good. */
  readonly #purged = new Set<string>();

  constructor(parts: VisibilityParts) {
    this.#parts = parts;
  }

  /**
   * Whether a group may be written: everything that it rests on has been listed and judged, and is seen now. Of a fleet
   * group's clusters it is enough that the shards know who is out of sight; but it goes only when all of them are seen.
   */
  of(record: Rested): boolean {
    const { identity, members, change } = record;
    const isGoing = change?.stand.type === "absent";
    if (identity.share !== "fleet") return this.#areSeen(record, [identity.cluster], isGoing);
    const { following } = this.#parts;
    if ((change?.nodeClusters ?? []).some((name) => following.progress(name, "nodes") === "hiding"))
      return false;
    const names = members.map(([name]) => name);
    if (names.some((name) => this.#leaving.has(name))) return false;
    if (isGoing) return this.#areSeen(record, names, isGoing);
    const { feeds } = sourceKinds[identity.kind];
    return names.every((name) => feeds.every((feed) => following.progress(name, feed) !== "hiding"));
  }

  /**
   * Whether its upstream may be deleted: every cluster with a part in it is seen, or gone for good. Where that does not say
   * whose it is (somebody took the labels off), any may have one.
   */
  mayGo(record: Rested): boolean {
    const { identity, members } = record;
    if (identity.share !== "fleet") return this.#areSeen(record, [identity.cluster], true);
    const names = members.length > 0 ? members.map(([name]) => name) : this.#parts.following.clusters();
    return this.#areSeen(record, names, true);
  }

  /** Fleet groups go on without it, but not by what a shard says that does not know it yet. */
  left(cluster: string): void {
    const { shards, writer, fault } = this.#parts;
    const turn = Symbol(cluster);
    this.#leaving.set(cluster, turn);
    writer.regate(writer.records.ofCluster(cluster));
    shards
      .caughtUp(cluster)
      .then(() => {
        if (this.#leaving.get(cluster) !== turn) return;
        this.#leaving.delete(cluster);
        // What a shard said before it knew, in answer to what it was told meanwhile, counts no more either.
        writer.words.leave(cluster);
        writer.regate(writer.records.ofCluster(cluster));
      })
      .catch(fault);
  }

  /** The cluster is gone for good, until it is `found`: what goes of it may be written though it is not seen. */
  purged(cluster: string): void {
    this.#purged.add(cluster);
  }

  found(cluster: string): void {
    this.#purged.delete(cluster);
  }

  /** Whether everything is seen on which the group rests in these clusters. What goes is not kept by who is gone. */
  #areSeen(
    { identity: { kind, namespace }, change }: Rested,
    names: readonly string[],
    isGoing: boolean,
  ): boolean {
    const isSeen = (name: string): boolean =>
      (isGoing && this.#purged.has(name)) ||
      (this.#parts.covers({ cluster: name, namespace }) &&
        sourceKinds[kind].feeds.every((feed) => this.#sees(name, feed)));
    const onNodes = change?.nodeClusters ?? [];
    return names.every(isSeen) && onNodes.every((name) => this.#sees(name, "nodes"));
  }

  #sees(cluster: string, kind: Kind): boolean {
    return this.#parts.following.progress(cluster, kind) === "visible";
  }
}
