import type { ForeignRoute, Intruder } from "../claims/claim.ts";
import type { SourceKind } from "../declare/declaration.ts";
import type { Pair } from "../declare/pair.ts";
import type { Clock } from "../runtime.ts";
import type { Explained, ExplainQuery } from "../shard/protocol.ts";
import type { GroupRecord } from "../write/group-record.ts";
import { mayStand, newRecord } from "../write/group-record.ts";
import type { Configured } from "../watched.ts";
import type { Records } from "../write/records.ts";
import { covers, pairsThatCover } from "./covers.ts";
import type { Cover } from "./covers.ts";
import type { ExplainedDeclaration, ExplainedForeign, Explanation } from "./explanation.ts";
import { leftParts } from "./left-clusters.ts";
import { localOf } from "./local-of.ts";
import { explainState, pairText } from "./reasons.ts";
import type { Local, ReasonFacts } from "./reasons.ts";
import type { Target } from "./target.ts";
import { TimeSlice } from "./time-slice.ts";
import { combined, groupOf, lastWriteOf, standingNodes, standsOf } from "./what-stands.ts";
import { unseenClusters, whyUnknown } from "./why-unknown.ts";

/** Groups of one answer at most: more than a person reads, less than hurts. */
const mostGroups = 1000;
/** Pairs of one foreign route. */
const mostPairs = 100;

export interface ExplainParts {
  readonly clock: Pick<Clock, "now" | "soon">;
  readonly records: Pick<Records, "get" | "all" | "ofCluster">;
  readonly facts: ReasonFacts;
  /** Asks every shard that may know. */
  readonly explain: (query: ExplainQuery) => Promise<readonly Explained[]>;
  /** As last read. */
  readonly foreign: () => readonly ForeignRoute[];
  readonly intruder: (id: string) => Intruder | undefined;
  /** Names of those that are watched. */
  readonly clusters: () => readonly string[];
  readonly lookUp: (cluster: string) => Configured;
  /** Why there may be clusters besides, with what to do; undefined: there are none. */
  readonly whyClustersUnknown: () => string | undefined;
  /** What is seen of an object: whether it carries the routes annotation; undefined: nothing. */
  readonly annotated: (target: ObjectTarget) => boolean | undefined;
  /** Undefined: the cluster is seen, or, where one is named, that kind of source in it. */
  readonly whyUnseen: (cluster: string, source?: SourceKind) => string | undefined;
}

export type ObjectTarget = Extract<Target, { readonly kind: "object" }>;
type PairTarget = Extract<Target, { readonly kind: "pair" }>;

/**
 * Where everything stands that an object declares, or that wants or holds a host or a pair. Empty: nothing is known of
 * it. For a pair that nobody names, what a request for it would match is told instead.
 */
export async function explainTarget(target: Target, parts: ExplainParts): Promise<Explanation> {
  if (target.kind === "object") return explainObject(target, parts);
  if (target.kind === "pair") return explainPair(target, parts);
  const record = parts.records.get(target.id);
  return record === undefined ? { declarations: [], foreign: [] } : explainGroups([record], parts);
}

async function explainGroups(groups: readonly GroupRecord[], parts: ExplainParts): Promise<Explanation> {
  const found = await parts.explain({ by: "ids", ids: groups.map(({ id }) => id) });
  const known = new Set(found.map(({ id }) => id));
  const orphans = groups.filter(({ id }) => !known.has(id));
  return answer(found, orphans, [], parts, groups);
}

/** What the objects in APISIX are called for people, `cluster/namespace/name/route`: their first part has no dot. */
function titled({ host, uri }: PairTarget, parts: ExplainParts): Promise<GroupRecord[]> {
  if (uri === undefined || host.includes(".")) return Promise.resolve([]);
  const title = `${host}${uri}`;
  return chosen(parts, parts.records.all(), ({ identity }) => {
    const { cluster, namespace, name, route } = identity;
    return title.endsWith(route) && title === [cluster, namespace, name, route].filter(Boolean).join("/");
  });
}

async function explainObject(target: ObjectTarget, parts: ExplainParts): Promise<Explanation> {
  const { cluster, namespace, source, name } = target;
  const found = await parts.explain({ by: "object", cluster, kind: source, namespace, name });
  const known = new Set(found.map(({ id }) => id));
  const orphans = await chosen(parts, parts.records.ofCluster(cluster), ({ id, identity }) => {
    const isIts = identity.name === name && identity.namespace === namespace && identity.kind === source;
    return isIts && !known.has(id);
  });
  const told = answer(found, orphans, [], parts);
  return told.declarations.length > 0 ? told : { ...told, unknown: whyUnknown(target, parts) };
}

async function explainPair(target: PairTarget, parts: ExplainParts): Promise<Explanation> {
  const wider: GroupRecord[] = [];
  const exact = await chosen(parts, parts.records.all(), (record) => {
    const cover = coverOf(pairsOfRecord(record), target);
    if (cover === "wider" && wider.length < mostGroups) wider.push(record);
    return cover === "exact";
  });
  const byTitle = exact.length > 0 ? [] : await titled(target, parts);
  if (byTitle.length > 0) return explainGroups(byTitle, parts);
  const groups = exact.length > 0 ? exact : wider;
  const ids = groups.map(({ id }) => id);
  const routed = ids.length === 0 ? [] : await parts.explain({ by: "ids", ids });
  const found = [...routed, ...(await problemsAt(target, routed, parts))];
  const known = new Set(found.map(({ id }) => id));
  const orphans = groups.filter(({ id }) => !known.has(id));
  const told = answer(found, orphans, foreignAt(target, parts), parts, groups);
  const isUnknown = told.declarations.length === 0 && told.foreign.length === 0;
  const unknown = isUnknown ? unseenClusters(parts) : "";
  return unknown === "" ? told : { ...told, unknown };
}

/**
 * A declaration that was refused before it could want anything is known to its shard alone. Where others are `told`, it is
 * only if it asks for the very thing.
 */
async function problemsAt(
  target: PairTarget,
  told: readonly Explained[],
  parts: ExplainParts,
): Promise<readonly Explained[]> {
  const known = new Set(told.map(declarationKey));
  const problems = (await parts.explain({ by: "problems" })).filter(
    (each) => !known.has(declarationKey(each)),
  );
  const at = (cover: "exact" | "wider"): Explained[] =>
    problems.filter(({ hosts, uris }) => coverOf(combined({ hosts, uris }), target) === cover);
  const exact = at("exact");
  return (exact.length > 0 || told.length > 0 ? exact : at("wider")).slice(0, mostGroups);
}

const declarationKey = ({ cluster, kind, namespace, name, route }: Explained): string =>
  [cluster, kind, namespace, name, route].join("/");

async function chosen(
  { clock }: ExplainParts,
  records: Iterable<GroupRecord>,
  isWanted: (record: GroupRecord) => boolean,
): Promise<GroupRecord[]> {
  const found: GroupRecord[] = [];
  const slice = new TimeSlice(clock);
  for (const record of records) {
    if (isWanted(record)) found.push(record);
    if (found.length >= mostGroups) break;
    if (slice.isOver()) await slice.rest();
  }
  return found;
}

function* pairsOfRecord({ claim, route, change }: GroupRecord): Generator<Pair> {
  if (claim !== undefined) yield* claim.pairs;
  if (change?.limited !== undefined) yield* change.limited;
  if (route !== undefined) yield* combined(route.shape);
}

function coverOf(pairs: Iterable<Pair>, target: PairTarget): Cover {
  let best: Cover = "no";
  for (const pair of pairs) {
    const cover = covers(pair, target);
    if (cover === "exact") return "exact";
    if (cover === "wider") best = "wider";
  }
  return best;
}

function foreignAt(target: PairTarget, parts: ExplainParts): ExplainedForeign[] {
  const at = (cover: "exact" | "wider"): ExplainedForeign[] =>
    parts
      .foreign()
      .map((route) => ({ id: route.id, pairs: pairsThatCover(route, target, cover, mostPairs) }))
      .filter(({ pairs }) => pairs.length > 0)
      .slice(0, mostGroups)
      .map(({ id, pairs }) => ({ id, pairs: pairs.map(pairText) }));
  const exact = at("exact");
  return exact.length > 0 ? exact : at("wider");
}

/**
 * `orphans`: groups that stand in APISIX and that no object known to a shard declares. `whole`: those that were asked for,
 * not one object of theirs.
 */
function answer(
  found: readonly Explained[],
  orphans: readonly GroupRecord[],
  foreign: readonly ExplainedForeign[],
  parts: ExplainParts,
  whole: readonly GroupRecord[] = [],
): Explanation {
  const told = (record: GroupRecord, local: Local): Pick<ExplainedDeclaration, Told> => {
    const { state, reason } = explainState(record, local, parts.facts);
    const intruder = parts.intruder(record.id);
    const also =
      intruder === undefined
        ? ""
        : `; the foreign route ${intruder.foreign}, which is younger, stands on ${pairText(intruder.pair)} too`;
    return { state, reason: `${reason}${also}`, lastWrite: lastWriteOf(record) };
  };
  const declarations = found.map((explained): ExplainedDeclaration => {
    const { cluster, kind, namespace, name, route, hosts, uris, id } = explained;
    const record = parts.records.get(id) ?? unheardOf(explained);
    const local = localOf(explained, record);
    const nodes =
      local.nodes ?? explained.nodes ?? (record.identity.share === "none" ? standingNodes(record) : null);
    return {
      ...{ cluster, kind, namespace, name, route },
      ...{ hosts, uris, ...standsOf(record, { hosts, uris }), ...groupOf(record) },
      ...{ id, nodes, ...told(record, local) },
    };
  });
  const standing = orphans.filter(mayStand).map((record): ExplainedDeclaration => {
    const { cluster, kind, namespace, name, route } = record.identity;
    const { hosts, uris } = record.route?.shape ?? { hosts: [], uris: [] };
    const local = { state: "Valid", reason: record.change?.reason ?? "" } as const;
    return {
      ...{ cluster, kind, namespace, name, route, hosts, uris, ...groupOf(record) },
      ...{ id: record.id, nodes: standingNodes(record), ...told(record, local) },
    };
  });
  const left = whole.flatMap((record) =>
    leftParts(record, parts.lookUp).map((part) => ({ ...part, lastWrite: lastWriteOf(record) })),
  );
  return { declarations: [...declarations, ...standing, ...left], foreign };
}

type Told = "state" | "reason" | "lastWrite";

/** The shard knows it, and its word on the way here has not arrived, or it belongs to no group. */
function unheardOf({ id, cluster, kind, namespace, name, route }: Explained): GroupRecord {
  return newRecord(id, { share: "none", cluster, kind, namespace, name, route });
}
