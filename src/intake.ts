import { Following, type Followed } from "./following.ts";
import type { Filter } from "./filter/pass.ts";
import type { Identities } from "./identities.ts";
import type { DropReason } from "./filter/kept.ts";
import { Refusals } from "./refusals.ts";
import type { Clock, Log } from "./runtime.ts";
import type { Shards } from "./shard/shards.ts";
import { takeIdentity } from "./take-identity.ts";
import { Vanishing } from "./vanishing.ts";
import { Visibility, type VisibilityParts } from "./visibility.ts";
import type { ObjectStore } from "./store/object-store.ts";
import { sourcesTouchedBy } from "./store/source-kinds.ts";
import type { Kind, WatchEvent } from "./watch/events.ts";
import type { Writer } from "./write/writer.ts";

/** Fewer than this standing: an empty list proves nothing unusual. */
const worthDoubt = 10;

export interface IntakeParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly filter: Filter;
  readonly store: ObjectStore;
  readonly identities: Identities;
  readonly shards: Shards;
  readonly writer: Writer;
  /** `throttle.quiet`, milliseconds. */
  readonly quiet: number;
  readonly observe: (kind: Kind, outcome: "kept" | DropReason) => void;
  readonly covers: VisibilityParts["covers"];
  /** A kind of a cluster has come into sight, or has left it. */
  readonly moved: () => void;
  readonly fault: (error: unknown) => void;
}

/**
 * Takes what the watches say: objects through the filter to the shards, health to the writer's gate.
 *
 * Guarantees: nothing is written before every kind that it rests on was listed completely and every shard has judged it;
 * removals that a complete list brings reach the guard together; a degraded kind is out of sight from the moment it is
 * known, and with it what rests on it, and nothing else.
 */
export class Intake {
  readonly #parts: IntakeParts;
  readonly #following = new Following();
  readonly visibility: Visibility;
  readonly refusals: Refusals;
  readonly #vanishing: Vanishing;
  #begun = false;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    this.visibility = new Visibility({ ...parts, following: this.#following });
    this.refusals = new Refusals({ ...parts, following: this.#following });
    this.#vanishing = new Vanishing(parts.clock, parts.quiet, (key) => {
      const kept = parts.filter.lapse(key);
      if (kept !== undefined) parts.shards.offer(kept);
    });
  }

  sees(cluster: string, kind: Kind): boolean {
    return this.#following.progress(cluster, kind) === "visible";
  }

  isSettling(cluster: string): boolean {
    return this.#following.isAny(cluster, "settling");
  }

  /** Why nothing of the cluster may be believed; undefined where it may, or is not known yet. */
  refusal(cluster: string): string | undefined {
    return this.refusals.of(cluster);
  }

  /** What stands in APISIX has been handed to the shards: from now on lists are judged. */
  begin(): void {
    this.#begun = true;
    for (const followed of this.#following.all()) if (followed.isEarly) this.#settle(followed);
  }

  take(event: WatchEvent): void {
    switch (event.type) {
      case "identity":
        return takeIdentity(event, this.#parts);
      case "synced":
        return this.#synced(this.#following.follow(event.cluster, event.kind));
      case "degraded":
        return this.#hide(this.#following.follow(event.cluster, event.kind));
      default:
        return this.#takeObject(event);
    }
  }

  /** Nothing of the cluster is known until its kinds have been listed anew. */
  hide(cluster: string): void {
    for (const followed of this.#following.of(cluster)) this.#hide(followed);
  }

  /** The cluster is not watched any more: what stands for it stays as it is, and nothing of it is known. */
  leave(cluster: string): void {
    const { filter, identities, writer } = this.#parts;
    for (const followed of this.#following.of(cluster)) followed.turn++;
    this.#following.leave(cluster);
    this.refusals.forget(cluster);
    filter.forget(cluster);
    identities.left(cluster, writer.records.owned(cluster).cluster === 0);
    writer.words.leave(cluster);
    this.visibility.left(cluster);
  }

  /** The kind is not watched any more in this cluster, because nobody rests on it: nothing of it is held. */
  unfollow(cluster: string, kind: Kind): void {
    const { filter, shards, writer } = this.#parts;
    const followed = this.#following.get(cluster, kind);
    for (const kept of filter.forgetKind(cluster, kind)) shards.offer(kept);
    if (followed === undefined) return;
    this.#hide(followed);
    this.#following.forget(cluster, kind);
    writer.removals.close(cluster, kind, () => false);
  }

  /** Nothing lapses any more. */
  stop(): void {
    this.#vanishing.stop();
  }

  /** Nothing was heard of it for so long that it is not waited for: what rests on it besides others goes on. */
  giveUp(cluster: string, kinds: readonly Kind[]): void {
    for (const kind of kinds) {
      const { progress, isEarly, turn } = this.#following.follow(cluster, kind);
      if (progress === "hidden" && !isEarly && turn === 0) void this.#parts.shards.unsettle(cluster, kind);
    }
  }

  /** Whether something of the cluster is in sight, or about to be. */
  isSeen(cluster: string): boolean {
    return this.#following.isAny(cluster, "visible") || this.#following.isAny(cluster, "settling");
  }

  /** The cluster is gone for good: everything of it goes, unguarded. False: it is seen, and stays. */
  purge(cluster: string): boolean {
    const { filter, shards, writer } = this.#parts;
    if (this.isSeen(cluster)) return false;
    this.visibility.purged(cluster);
    // The shards forget its objects: should it come back, none may count as unchanged.
    filter.forget(cluster);
    shards.purge(cluster);
    writer.regate(writer.records.ofCluster(cluster));
    return true;
  }

  #takeObject(event: Extract<WatchEvent, { type: "apply" | "delete" }>): void {
    const { filter, shards, observe, log } = this.#parts;
    if (event.type === "delete" && event.relist) this.#doubt(event);
    const verdict = filter.offer(event);
    if ("kept" in verdict) {
      observe(event.kind, "kept");
      if (event.type === "apply" && event.listed) this.#gather(event);
      for (const kept of verdict.kept) shards.offer(kept);
      if (verdict.vanished !== undefined) this.#vanishing.note(verdict.vanished);
      return;
    }
    observe(event.kind, verdict.dropped);
    if (verdict.dropped !== "malformed") return;
    const { cluster, kind, key } = event;
    const advice = "what is held of it stays; see whether a proxy or the API server garbles objects";
    log.warn(
      { cluster, kind, ...key, reason: verdict.reason, advice },
      "an object is not what its kind must be",
    );
  }

  /** What a list takes out on its way is judged at its end, for the rest may hold it; of Nodes, on which few rest, not so. */
  #gather({ cluster, kind }: { readonly cluster: string; readonly kind: Kind }): void {
    if (kind !== "nodes" && this.sees(cluster, kind)) this.#parts.writer.removals.open(cluster, kind);
  }

  /** A list takes objects away: how many is known, and judged, when all of it is. */
  #doubt({ cluster, kind }: { readonly cluster: string; readonly kind: Kind }): void {
    this.#parts.writer.removals.open(cluster, kind);
    const followed = this.#following.follow(cluster, kind);
    if (followed.isDoubted) return;
    followed.isDoubted = true;
    this.#parts.shards.doubt(cluster, kind);
  }

  #synced(followed: Followed): void {
    if (!this.#begun) {
      followed.isEarly = true;
      return;
    }
    const { cluster, kind, turn } = followed;
    if (kind !== "endpointslices") return this.#settle(followed);
    // What a list takes away is judged whole, and what vanished with it takes a moment to be gone.
    this.#vanishing.whenOver(cluster, () => {
      if (followed.turn === turn) this.#settle(followed);
    });
  }

  #settle(followed: Followed): void {
    const { writer, shards, fault } = this.#parts;
    const { cluster, kind } = followed;
    followed.isEarly = false;
    if (this.refusals.isRefused(cluster)) return this.#hide(followed);
    this.visibility.found(cluster);
    writer.removals.open(cluster, kind);
    if (followed.progress !== "visible") followed.progress = "settling";
    followed.isDoubted = false;
    const turn = ++followed.turn;
    shards
      .settle(cluster, kind)
      .then((settled) => {
        if (settled && followed.turn === turn) this.#settled(followed);
      })
      .catch(fault);
  }

  #settled(followed: Followed): void {
    const { writer, store } = this.#parts;
    const { cluster, kind } = followed;
    const isEmpty = store.count(cluster, kind) === 0;
    writer.removals.close(
      cluster,
      kind,
      (source) => isEmpty && writer.records.ownedOfKind(cluster, source) >= worthDoubt,
    );
    if (followed.progress === "visible") return;
    followed.progress = "visible";
    this.#parts.identities.atWork(cluster);
    this.#regate(followed);
  }

  #hide(followed: Followed): void {
    const { shards, fault } = this.#parts;
    followed.isEarly = false;
    const turn = ++followed.turn;
    followed.progress = "hiding";
    followed.isDoubted = false;
    shards
      .unsettle(followed.cluster, followed.kind)
      .then(() => {
        if (followed.turn !== turn) return;
        followed.progress = "hidden";
        this.#regate(followed);
      })
      .catch(fault);
    this.#regate(followed);
  }

  /** Only what rests on the kind. */
  #regate({ cluster, kind }: Followed): void {
    const { writer, moved } = this.#parts;
    for (const source of sourcesTouchedBy(kind)) writer.regate(writer.records.ofKind(cluster, source));
    moved();
  }
}
