import type { Identity, JsonObject } from "../apisix/types.ts";
import { sourceKinds } from "../store/source-kinds.ts";
import type { Group } from "./group.ts";
import type { Keeping } from "./keeping.ts";
import { keepsRoute } from "./keeping.ts";
import { keptMember } from "./kept-member.ts";
import { keptNodes } from "./kept.ts";
import type { Member, Source } from "./member.ts";
import { keyOf } from "./sources.ts";
import type { Standings } from "./standings.ts";

export interface KeptRoutesParts {
  readonly standings: Standings;
  readonly keeping: Keeping;
  readonly groups: ReadonlyMap<string, Group>;
}

/** Which routes an object keeps in whose annotation something cannot be read. */
export class KeptRoutes {
  readonly #parts: KeptRoutesParts;

  constructor(parts: KeptRoutesParts) {
    this.#parts = parts;
  }

  /** Adds the routes that it has, or that stand, and that what cannot be read may or may not still declare. */
  added(source: Source, old: Source | undefined): Source {
    const { cluster, object, keeps } = source;
    if (keeps !== "all" && keeps.length === 0) return source;
    const { standings, keeping, groups } = this.#parts;
    const place = keyOf(cluster, object);
    const declared = new Set(source.members.map((member) => member.id));
    const kept: Member[] = [];
    const keep = (id: string, identity: Identity, mayBe = false): void => {
      if (declared.has(id) || !keepsRoute(source, identity.route)) return;
      declared.add(id);
      kept.push(keptMember(source, id, identity, mayBe));
    };
    for (const member of old?.members ?? []) keep(member.id, member.identity, member.mayBe);
    for (const { id, identity } of standings.ofObject(place)) keep(id, identity);
    for (const { id, identity } of standings.shared(place)) {
      const group = groups.get(id);
      const standing = group?.kept;
      if (group === undefined || standing === undefined) continue;
      const isOpen = keeping.isUndecided(source, id);
      if (isOpen && this.#hadPart(source, id, standing.upstream)) keep(id, identity);
      else if (isOpen && isAnybodys(group)) keep(id, identity, true);
      keeping.decide(source, id);
    }
    return { ...source, members: [...source.members, ...kept] };
  }

  /**
   * Whether the object was a member of a group that stands: who shares a name with nobody in its cluster is named by the
   * cluster's label, the others by their nodes.
   */
  #hadPart({ cluster, object }: Source, id: string, upstream: JsonObject | null): boolean {
    if (!sourceKinds[object.kind].sharedByName) return keptNodes(upstream, cluster, object.name).length > 0;
    const { members } = this.#parts.standings.of(id);
    return members.length === 0 || members.some(([member]) => member === cluster);
  }
}

/**
 * Its route stands, without an upstream of ours that would say by its nodes who the members were (somebody has deleted it,
 * or taken it over), and nobody is known to be one whom policy does not forbid.
 */
function isAnybodys({ kept, members, identity: { kind } }: Group): boolean {
  const isUnsaid = kept?.upstream === null && !sourceKinds[kind].sharedByName;
  return (
    isUnsaid && [...members.values()].every(({ mayBe, state }) => mayBe === true || state === "Forbidden")
  );
}
