import type { DesiredState } from "../desired/desired-state.ts";
import type { Surroundings } from "../desired/context.ts";
import type { Group } from "../desired/group.ts";
import { nodesOf, whyNoNodes } from "../desired/group-nodes.ts";
import { memberReason, partReason, stateOf, undeclaredParts } from "../desired/member-state.ts";
import type { Member, Source, Stray } from "../desired/member.ts";
import { isSeen, specOf } from "../desired/spec.ts";
import type { Explained, ExplainQuery } from "../shard/protocol.ts";
import { sourceKinds } from "../store/source-kinds.ts";
import type { GoneParts } from "./gone-parts.ts";
import type { KnownIndex } from "./known-index.ts";

/** Answers what declarations of this shard are, by themselves; claims and writes are the main thread's to add. */
export function explain(
  query: ExplainQuery,
  desired: DesiredState,
  known: KnownIndex,
  surroundings: Surroundings,
  goneParts: Pick<GoneParts, "held">,
): Explained[] {
  const whyNone = (group: Group, member: Member, nodes: readonly unknown[] | "unknown"): string =>
    nodes.length === 0 ? whyNoNodes(group, member, desired.translation) : "";
  const ofMember = (member: Member): Explained => {
    const group = desired.group(member.id, member.identity);
    const spec = specOf(group, known.of(member.id), surroundings);
    const state = stateOf(member, spec, isSeen(group, member, surroundings));
    const nodes = nodesOf(group, member, spec.settings, desired.translation);
    const none = state === "Valid" || state === "SpecMismatch" ? whyNone(group, member, nodes) : "";
    return {
      ...placeOf(member),
      route: member.route,
      state,
      reason: state === "Valid" ? none : withClause(memberReason(member, state, spec), none),
      hosts: member.settings?.hosts ?? group.accepted?.hosts ?? [],
      uris: member.settings?.uris ?? group.accepted?.uris ?? [],
      id: member.id,
      ...(nodes === "unknown" ? {} : { nodes: nodes.length }),
    };
  };
  const ofGoneParts = (group: Group): Explained[] =>
    undeclaredParts(group, goneParts.held(group.id)).map((cluster) => ofPart(group, cluster));
  if (query.by === "ids") {
    return query.ids.flatMap((id) => {
      const group = desired.groups.get(id);
      return group === undefined ? [] : [...[...group.members.values()].map(ofMember), ...ofGoneParts(group)];
    });
  }
  const ofSource = (source: Source): Explained[] => [
    ...source.members.map(ofMember),
    ...untold(source).map((stray): Explained => ({
      ...placeOf(source),
      ...{
        route: stray.route,
        state: stray.state,
        reason: stray.reason,
        hosts: [],
        uris: [],
        id: "",
        nodes: 0,
      },
    })),
  ];
  if (query.by === "object") {
    const source = desired.source(query);
    if (source !== undefined) return ofSource(source);
    const groups = sourceKinds[query.kind].sharedByName ? [...known.shared(query)] : [];
    return groups.flatMap(({ id }) => {
      const group = desired.groups.get(id);
      return group === undefined ? [] : ofGoneParts(group).filter(({ cluster }) => cluster === query.cluster);
    });
  }
  const parts = [...desired.groups.values()].flatMap(ofGoneParts);
  return [...[...desired.sources()].flatMap(ofSource).filter(({ state }) => state !== "Valid"), ...parts];
}

const withClause = (reason: string, none: string): string =>
  none === "" ? reason : `${reason}; it gives no node now: ${none}`;

/** What a list took out of the group, and what nobody declares any more. */
function ofPart({ id, identity, accepted, held }: Group, cluster: string): Explained {
  const { kind, namespace, name, route } = identity;
  const nodes = held.get(cluster)?.length;
  return {
    ...{ cluster, kind, namespace, name, route, state: "Unseen", reason: partReason(cluster), id },
    ...{ hosts: accepted?.hosts ?? [], uris: accepted?.uris ?? [] },
    ...(nodes === undefined ? {} : { nodes }),
  };
}

/** Strays that no route which goes on tells of already, in the same words. */
function untold({ strays, members }: Source): readonly Stray[] {
  const told = new Set(members.filter(({ counted }) => !counted).map(({ reason }) => reason));
  return strays.filter(({ reason }) => !told.has(reason));
}

function placeOf({
  cluster,
  object: { kind, namespace, name },
}: Pick<Source, "cluster" | "object">): Pick<Explained, "cluster" | "kind" | "namespace" | "name"> {
  return { cluster, kind, namespace, name };
}
