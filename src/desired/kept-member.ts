import type { Identity } from "../apisix/types.ts";
import type { Member, Source } from "./member.ts";

/** Invalid, and not counted as a declaration: it merely goes on. */
export function keptMember(source: Source, id: string, identity: Identity, mayBe: boolean): Member {
  const { cluster, object, strays, members } = source;
  const invalid = members.find(({ route }) => route === identity.route);
  return {
    id,
    identity,
    cluster,
    object,
    route: identity.route,
    state: "Invalid",
    reason: invalid?.reason ?? strays[0]?.reason ?? "the annotation cannot be read",
    settings: undefined,
    counted: false,
    ...(mayBe ? { mayBe } : {}),
    paused: object.paused && { nodes: "unknown" },
  };
}
