import type { RouteShape } from "../claims/claim.ts";
import type { Pair } from "../declare/pair.ts";
import type { GroupRecord } from "../write/group-record.ts";
import type { ExplainedDeclaration } from "./explanation.ts";
import { groupTitle } from "./group-title.ts";

/** Every host with every uri. */
export function* combined({ hosts, uris }: RouteShape): Generator<Pair> {
  for (const host of hosts) for (const uri of uris) yield `${host} ${uri}`;
}

/** What stands, where it is not what is declared. */
export function standsOf({ route }: GroupRecord, declared: RouteShape): Pick<ExplainedDeclaration, "stands"> {
  if (route === undefined) return {};
  const pairs = new Set(combined(route.shape));
  const isSame = pairs.symmetricDifference(new Set(combined(declared))).size === 0;
  return isSame ? {} : { stands: { hosts: route.shape.hosts, uris: route.shape.uris } };
}

/** What the route is called that the declaration shares. */
export function groupOf({ identity }: GroupRecord): Pick<ExplainedDeclaration, "group"> {
  return identity.share === "none" ? {} : { group: groupTitle(identity) };
}

/** Nodes that its upstream has; null: not known. */
export function standingNodes({ upstream }: GroupRecord): number | null {
  return upstream === undefined ? 0 : (upstream.nodes ?? null);
}

/** Null: none has been answered in this term. */
export function lastWriteOf({ lastWrite }: GroupRecord): ExplainedDeclaration["lastWrite"] {
  if (lastWrite === undefined) return null;
  const { at, resource, status } = lastWrite;
  return { at: new Date(at).toISOString(), resource, status };
}
