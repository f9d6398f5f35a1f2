import type { SourceKind } from "../../../src/declare/declaration.ts";
import type { Meaning } from "../truth-history.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import type { World } from "../world.ts";
import { longestLag, seenSince } from "./may-have-seen.ts";

interface Route {
  readonly id: string;
  readonly kind: SourceKind;
  /** Clusters that have a part in its group. */
  readonly parts: readonly string[];
  /** On which it stood. */
  readonly pairs: readonly string[];
}

/**
 * Whether a route can have been deleted for another's sake, which is not the guard's (PRODUCT.md, "Conflicts"): at a moment
 * that who sent this can have seen, its group was declared and wanted none of its pairs any more, and another group was
 * declared that wants one. That the declaration has gone since need not have been heard.
 */
export function isYielded(world: World, request: SentRequest, route: Route): boolean {
  const { history, clusters } = world;
  const { id, kind, parts, pairs } = route;
  const hasYielded = parts.some((cluster) => {
    const from = seenSince(world, request, { id, cluster, basis: kind });
    return [...history.since(cluster, from)].some((meaning) => yields(meaning, id, pairs));
  });
  const from = Math.max(0, request.sentAt - longestLag);
  const isContended = (cluster: string): boolean =>
    [...history.since(cluster, from)].some((meaning) => isWantedByAnother(meaning, id, pairs));
  return hasYielded && [...clusters.keys()].some(isContended);
}

/** It is declared, and gives up all these pairs: also where APISIX refuses what it asks for. Never what nothing declares. */
export function yields({ groups }: Meaning, id: string, pairs: readonly string[]): boolean {
  const group = groups.get(id);
  if (group === undefined || group.untouchable) return false;
  const isSaid = group.state === "live" || group.refused;
  return isSaid && !pairs.some((pair) => group.pairs.includes(pair));
}

export function isWantedByAnother({ groups }: Meaning, id: string, pairs: readonly string[]): boolean {
  const others = [...groups.values()].filter((group) => group.id !== id);
  return others.some((group) => pairs.some((pair) => group.pairs.includes(pair)));
}
