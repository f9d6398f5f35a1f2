import type { Filter } from "./filter/pass.ts";
import type { Identities } from "./identities.ts";
import type { Shards } from "./shard/shards.ts";
import type { ObjectStore } from "./store/object-store.ts";
import type { WatchEvent } from "./watch/events.ts";

export interface TakeIdentityParts {
  readonly identities: Identities;
  readonly store: ObjectStore;
  readonly filter: Filter;
  readonly shards: Shards;
}

/**
 * A session has begun, and says which cluster answers. What was heard of another one, for which the name does not stand, or
 * not any more, is forgotten: by their names its objects would pass for what this one's were before, and a Pod that is
 * paused for one that has come in another's place, which gives no nodes. What stands under the name is what this cluster
 * has, as a new leader would find it.
 */
export function takeIdentity(
  { cluster, uid }: Extract<WatchEvent, { type: "identity" }>,
  { identities, store, filter, shards }: TakeIdentityParts,
): void {
  if (identities.startsAnew(cluster, uid))
    for (const kind of [...store.kinds(cluster)])
      for (const kept of filter.forgetKind(cluster, kind)) shards.offer(kept);
  identities.answered(cluster, uid);
  // In its place behind what is forgotten: what comes next under one of those names does not coalesce with that.
  shards.cluster(cluster, uid);
}
