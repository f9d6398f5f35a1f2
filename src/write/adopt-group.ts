import type { Owned } from "../apisix/snapshot.ts";
import type { MemberCluster } from "../apisix/types.ts";
import type { GroupRecord } from "./group-record.ts";
import type { Writer } from "./writer.ts";

export interface LookTime {
  /** `Clock.now()` when it began: what was written since, it may not have seen. */
  readonly at: number;
  /** The first of this term: nothing was believed before it. */
  readonly isFirst: boolean;
}

/** Takes what a look at all of APISIX found of one group for what stands, unless a request since then knows better. True: it is not what was believed. */
export function adoptGroup(
  writer: Writer,
  record: GroupRecord,
  { upstream, route, named }: Omit<Owned, "identity">,
  { at, isFirst }: LookTime,
): boolean {
  if (record.atWork || record.endedAt >= at) return false;
  if (record.uncertain !== undefined) {
    if (route === undefined || route.digest === record.route?.digest) return false;
    const { hosts, uris } = route;
    writer.standings.mayStandAt(record, { hosts, uris });
    writer.settleLook(record);
    return false;
  }
  record.lookedAt = at;
  record.misread = false;
  const drift = {
    upstream: record.upstream?.digest !== upstream?.digest,
    route: record.route?.digest !== route?.digest,
  };
  const isNamedAlike = areAlike(record.named, named ?? []);
  if (!drift.upstream && !drift.route && isNamedAlike && !isFirst) {
    if (route !== undefined) writer.claims.created(record.id, route.createdIndex);
    return false;
  }
  if (isFirst && upstream === undefined && route === undefined) return false;
  if (!isFirst) {
    const { upstream: before, route: routeBefore } = record.drift;
    record.drift = { upstream: before || drift.upstream, route: routeBefore || drift.route };
  }
  const shaped =
    route === undefined ? undefined : { ...route, shape: { hosts: route.hosts, uris: route.uris } };
  writer.standings.looked(record, upstream, shaped, named);
  writer.settleLook(record);
  return drift.upstream || drift.route;
}

function areAlike(a: readonly MemberCluster[], b: readonly MemberCluster[]): boolean {
  return a.length === b.length && a.every(([name], at) => b[at]?.[0] === name);
}
