import type { ObjectStore, StoreKey } from "../store/object-store.ts";
import type { EndpointSliceProjection, Packed } from "../store/projection.ts";
import type { Kept } from "./kept.ts";
import { vanishedFrom } from "./vanished.ts";

export interface SliceChangesOptions {
  readonly store: ObjectStore;
  readonly pack: (slice: EndpointSliceProjection) => Packed;
  readonly unpack: (packed: Packed) => EndpointSliceProjection;
}

/** What a change of a slice means for the Services that it belongs to, in this order. */
export interface SliceChange {
  readonly kept: readonly Kept[];
  /** Under which key the store holds what has vanished from the slice, until it lapses. */
  readonly vanished: StoreKey | undefined;
}

/**
 * Follows EndpointSlices from one Service to another, and keeps for a while what vanishes from them: under a key of its
 * own, beside the slice, so that nothing else need know of it and a shard that starts anew learns it like all the rest.
 */
export class SliceChanges {
  readonly #options: SliceChangesOptions;
  #count = 0;

  constructor(options: SliceChangesOptions) {
    this.#options = options;
  }

  /** The store holds `next` already. `isDeleted`: by the server, which says nothing of where its endpoints are. */
  changed(
    key: StoreKey,
    held: Packed | undefined,
    next: Packed | undefined,
    at: number,
    isDeleted: boolean,
  ): SliceChange {
    const { unpack } = this.#options;
    const before = held === undefined ? undefined : unpack(held);
    const after = next === undefined ? undefined : unpack(next);
    const kept: Kept[] = [];
    const lost = before && (after !== undefined || isDeleted) ? vanishedFrom(before, after) : undefined;
    const vanished = lost && this.#keep(key, lost, at, kept);
    if (before !== undefined && before.service !== after?.service)
      kept.push({ type: "delete", ...key, service: before.service, at });
    if (after !== undefined && next !== undefined)
      kept.push({ type: "apply", ...key, service: after.service, packed: next, at });
    return { kept, vanished };
  }

  /** The time of what vanished is over: whatever has not come back is gone. */
  lapse(key: StoreKey): Kept | undefined {
    const { store, unpack } = this.#options;
    const held = store.get(key);
    if (held === undefined) return undefined;
    store.delete(key);
    return { type: "delete", ...key, service: unpack(held).service, at: 0 };
  }

  #keep(key: StoreKey, lost: EndpointSliceProjection, at: number, kept: Kept[]): StoreKey {
    // No object's name has a tilde.
    const vanished = { ...key, name: `${key.name}~${++this.#count}` };
    const packed = this.#options.store.put(vanished, this.#options.pack(lost));
    kept.push({ type: "apply", ...vanished, service: lost.service, packed, at });
    return vanished;
  }
}
