import type { Filter } from "./filter/pass.ts";
import type { Identities } from "./identities.ts";
import type { DropReason } from "./filter/kept.ts";
import type { Clock, Log } from "./runtime.ts";
import type { Shards } from "./shard/shards.ts";
import type { ObjectStore } from "./store/object-store.ts";
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
  readonly observe: (kind: Kind, outcome: "kept" | DropReason) => void;
  /** A cluster has come into sight, or has left it. */
  readonly moved: () => void;
  readonly fault: (error: unknown) => void;
}

/** How far one cluster's Pods have come. */
type Progress =
  /** Listing for the first time, or not to be seen: nothing of it is written. */
  | "hidden"
  /** Listed completely; the shards are being told. */
  | "settling"
  | "visible";

/**
 * Takes what the watches say: objects through the filter to the shards, health to the writer's gate.
 *
 * Guarantees: nothing of a cluster is written before its list was complete and every shard has judged it; removals that
 * a complete list brings reach the guard together; a degraded cluster is out of sight from the moment it is known.
 */
export class Intake {
  readonly #parts: IntakeParts;
  readonly #progress = new Map<string, Progress>();
  /** Cluster → why nothing of it may be believed. */
  readonly #refusals = new Map<string, string>();
  /** Lists that were complete before what stands in APISIX was known. */
  readonly #early = new Set<string>();
  /** Cluster → number of the list that is judged now: an older one's end says nothing any more. */
  readonly #turns = new Map<string, number>();
  #begun = false;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  isVisible(cluster: string): boolean {
    return this.#progress.get(cluster) === "visible";
  }

  isSettling(cluster: string): boolean {
    return this.#progress.get(cluster) === "settling";
  }

  /** Why nothing of the cluster may be believed; undefined where it may, or is not known yet. */
  refusal(cluster: string): string | undefined {
    return this.#refusals.get(cluster);
  }

  /** What stands in APISIX has been handed to the shards: from now on lists are judged. */
  begin(): void {
    this.#begun = true;
    for (const cluster of this.#early) this.#settle(cluster);
    this.#early.clear();
  }

  take(event: WatchEvent): void {
    switch (event.type) {
      case "identity":
        this.#parts.identities.answered(event.cluster, event.uid);
        return this.#parts.shards.cluster(event.cluster, event.uid);
      case "synced":
        return this.#begun ? this.#settle(event.cluster) : void this.#early.add(event.cluster);
      case "degraded":
        return this.#hide(event.cluster, event.kind);
      default:
        return this.#takeObject(event);
    }
  }

  #takeObject(event: Extract<WatchEvent, { type: "apply" | "delete" }>): void {
    const { filter, shards, writer, observe, log } = this.#parts;
    if (event.type === "delete" && event.relist) writer.removals.open(event.cluster);
    const verdict = filter.offer(event);
    if ("kept" in verdict) {
      observe(event.kind, "kept");
      return shards.offer(verdict.kept);
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

  #settle(cluster: string): void {
    const { writer, shards, fault } = this.#parts;
    if (this.#isRefused(cluster)) return this.#hide(cluster, "pods");
    writer.removals.open(cluster);
    if (!this.isVisible(cluster)) this.#progress.set(cluster, "settling");
    const turn = this.#nextTurn(cluster);
    shards
      .settle(cluster, "pods")
      .then((settled) => {
        if (settled && this.#turns.get(cluster) === turn) this.#settled(cluster);
      })
      .catch(fault);
  }

  #isRefused(cluster: string): boolean {
    const { identities, log } = this.#parts;
    const refusal = identities.refusal(cluster, (name) => this.isVisible(name));
    if (refusal === undefined) {
      this.#refusals.delete(cluster);
      return false;
    }
    const advice =
      "nothing of it is read or changed; correct its kubeconfig, or give a rebuilt cluster another name";
    if (this.#refusals.get(cluster) !== refusal)
      log.error({ cluster, reason: refusal, advice }, "a cluster is refused");
    this.#refusals.set(cluster, refusal);
    return true;
  }

  #settled(cluster: string): void {
    const { writer, store } = this.#parts;
    const foundNothing =
      store.count(cluster, "pods") === 0 && writer.records.owned(cluster).cluster >= worthDoubt;
    writer.removals.close(cluster, foundNothing);
    if (this.isVisible(cluster)) return;
    this.#progress.set(cluster, "visible");
    writer.regate(writer.records.ofCluster(cluster));
    this.#parts.moved();
  }

  #hide(cluster: string, kind: Kind): void {
    const { writer, shards } = this.#parts;
    this.#early.delete(cluster);
    this.#nextTurn(cluster);
    this.#progress.set(cluster, "hidden");
    shards.unsettle(cluster, kind);
    writer.regate(writer.records.ofCluster(cluster));
    this.#parts.moved();
  }

  #nextTurn(cluster: string): number {
    const turn = (this.#turns.get(cluster) ?? 0) + 1;
    this.#turns.set(cluster, turn);
    return turn;
  }
}
