import type { SourceKind } from "../../../src/declare/declaration.ts";
import type { TranslatorProcess } from "../translator-process.ts";
import type { TruthHistory } from "../truth-history.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import type { World } from "../world.ts";
import { isPurged } from "./sight.ts";

interface Group {
  readonly id: string;
  readonly kind: SourceKind;
}

interface Seen {
  readonly clusters: ReadonlyMap<string, unknown>;
  readonly history: Pick<TruthHistory, "since">;
}

/** Whether an operator has said that all of this cluster goes, past the guard and without grace, and that holds for the group. */
export function isLetGoByPurge(world: World, cluster: string, request: SentRequest, group: Group): boolean {
  return (
    isPurged(world, cluster, request, group.kind) ||
    isPurgedStill(world, world.processOf(request), cluster, request.sentAt, group)
  );
}

/**
 * The cluster has come back, and has not brought the group back: what could not be sent before, as in a pause, was let go
 * all the same. So it is where nothing can have been seen to declare or keep it since: in the purged cluster from the first
 * list after the purge on, in any other, which may have a part in a fleet group, from the purge on.
 */
export function isPurgedStill(
  { clusters, history }: Seen,
  { lists, purged }: Pick<TranslatorProcess, "lists" | "purged">,
  cluster: string,
  sentAt: number,
  { id, kind }: Group,
): boolean {
  const isDeclaredSince = (name: string, from: number): boolean =>
    [...history.since(name, from)].some(({ groups, kept }) => groups.has(id) || kept.has(id));
  return (purged.get(cluster) ?? []).some(({ at }) => {
    const listed = lists.firstAfter(cluster, kind, at);
    if (at > sentAt || listed === undefined) return false;
    return ![...clusters.keys()].some((name) => isDeclaredSince(name, name === cluster ? listed : at));
  });
}
