import type { ShadowWrite } from "../apisix/shadow-transport.ts";
import { readLabels } from "../apisix/identity.ts";
import type { Snapshot } from "../apisix/snapshot.ts";
import type { SourceKind } from "../declare/declaration.ts";
import type { Identity, Json, JsonObject, Resource } from "../apisix/types.ts";
import { groupTitle } from "../observe/group-title.ts";
import { printable } from "../observe/printable.ts";
import { explainState } from "../observe/reasons.ts";
import type { ReasonFacts } from "../observe/reasons.ts";
import type { Change } from "../shard/change.ts";
import type { Explained } from "../shard/protocol.ts";
import { mayStand } from "../write/group-record.ts";
import type { GroupRecord } from "../write/group-record.ts";
import type { Records } from "../write/records.ts";

const actions = ["create", "update", "delete", "conflict", "frozen", "invalid"] as const;

type Action = (typeof actions)[number];

export interface PlannedChange {
  readonly action: Action;
  readonly resource: Resource;
  /** `""` for a declaration that belongs to no group. */
  readonly id: string;
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly route: string;
  readonly reason?: string;
  /** What the group is called of which this is the part of one cluster; in the lines for people only. */
  readonly group?: string;
  /** `host/uri` of a route that is created or updated; in the lines for people only. */
  readonly pairs?: readonly string[];
  /** It is valid and policy is against it: programs know it as invalid, people are told the difference. */
  readonly isForbidden?: true;
}

/** A write, and what its group's shard had said last when it was made. */
export interface PlannedWrite extends ShadowWrite {
  readonly stand: Change["stand"] | undefined;
}

/** What `run` would do (PRODUCT.md, "Shapes of `--output json`"). */
export interface PlanReport {
  readonly summary: Readonly<Record<Action, number>>;
  readonly changes: readonly PlannedChange[];
}

export interface PlanFacts {
  readonly instance: string;
  readonly writes: readonly PlannedWrite[];
  readonly snapshot: Snapshot;
  readonly records: Pick<Records, "all">;
  readonly facts: ReasonFacts;
  /** Why what is asked for is not known; undefined: it is seen. */
  readonly whyUnseen: (cluster: string, kind: SourceKind) => string | undefined;
  /** Every declaration that is not valid by itself. */
  readonly problems: readonly Explained[];
}

export function planReport(facts: PlanFacts): PlanReport {
  const changes = [...writesOf(facts), ...standstills(facts), ...invalids(facts)];
  const summary: Record<Action, number> = {
    create: 0,
    update: 0,
    delete: 0,
    conflict: 0,
    frozen: 0,
    invalid: 0,
  };
  for (const { action } of changes) summary[action]++;
  return { summary, changes };
}

/** The document that programs read. */
export function planJson({ summary, changes }: PlanReport): string {
  const told = changes.map(
    ({ pairs: _pairs, group: _group, isForbidden: _isForbidden, ...change }) => change,
  );
  return `${JSON.stringify({ summary, changes: told }, null, 2)}\n`;
}

/** Whether `run` would write anything. */
export function isEmptyPlan({ summary }: PlanReport): boolean {
  return summary.create + summary.update + summary.delete === 0;
}

function* writesOf({ instance, writes, snapshot }: PlanFacts): Generator<PlannedChange> {
  const standing = new Set<string>();
  for (const [id, { upstream, route }] of snapshot.owned) {
    if (upstream !== undefined) standing.add(`upstream ${id}`);
    if (route !== undefined) standing.add(`route ${id}`);
  }
  for (const { method, resource, id, body, stand } of writes) {
    const key = `${resource} ${id}`;
    const labelled = body === undefined ? undefined : readLabels(instance, id, body);
    const identity = labelled?.ours === true ? labelled.identity : snapshot.owned.get(id)?.identity;
    const action = method === "DELETE" ? "delete" : standing.has(key) ? "update" : "create";
    if (method === "DELETE") standing.delete(key);
    else standing.add(key);
    const pairs = resource === "route" && body !== undefined ? { pairs: pairsOf(body) } : {};
    const why = action === "delete" ? whyDeleted(stand) : undefined;
    const reason = why === undefined ? {} : { reason: why };
    if (identity !== undefined) yield { action, resource, id, ...placeOf(identity), ...pairs, ...reason };
  }
}

/** Undefined for what is declared: it is written again once its pairs are free. */
function whyDeleted(stand: Change["stand"] | undefined): string | undefined {
  if (stand?.type !== "absent") return undefined;
  const after = stand.grace ? "; run deletes it after throttle.deleteGrace" : "";
  return `${deletedFor[stand.cause]}${after}`;
}

const deletedFor = {
  gone: "its object is gone, or its label was taken away",
  undeclared: "its annotation declares it no more",
  forbidden: "forbidden by policy",
  purged: "its cluster is purged",
} as const;

/** Groups that stay as they are, or out, for the time being. */
function* standstills({ records, facts, whyUnseen }: PlanFacts): Generator<PlannedChange> {
  for (const record of records.all()) {
    const parts = unseenParts(record, whyUnseen);
    yield* parts;
    // Nobody has spoken of it, and the parts say why.
    if (record.change === undefined && parts.length > 0) continue;
    const local = { state: "Valid", reason: "", nodes: 0 } as const;
    const { state, reason } = explainState(record, local, { ...facts, isPlan: true });
    if (state !== "Conflict" && state !== "Frozen") continue;
    const action = state === "Conflict" ? "conflict" : "frozen";
    yield { action, resource: "route", id: record.id, ...placeOf(record.identity), reason };
  }
}

/** Of a fleet group the part of each cluster that cannot be seen; the others' nodes may be written all the same. */
function unseenParts(record: GroupRecord, whyUnseen: PlanFacts["whyUnseen"]): readonly PlannedChange[] {
  const { id, identity, members } = record;
  if (identity.share !== "fleet" || !mayStand(record)) return [];
  return members.flatMap(([cluster]): PlannedChange[] => {
    const why = whyUnseen(cluster, identity.kind);
    if (why === undefined) return [];
    const kept = "its nodes, and the settings of its group, are kept as they stand";
    const reason = printable(`${cluster} is not seen now: ${why}; ${kept}`);
    const group = groupTitle(identity);
    return [{ action: "frozen", resource: "route", id, ...placeOf(identity), cluster, reason, group }];
  });
}

function* invalids({ problems, records }: PlanFacts): Generator<PlannedChange> {
  // Their shards find nothing wrong with them.
  for (const { id, identity, change } of records.all())
    if (change?.limited !== undefined)
      yield {
        ...{ action: "invalid", resource: "route", id, ...placeOf(identity) },
        ...{ reason: change.reason ?? "", isForbidden: true },
      };
  for (const { state, id, cluster, kind, namespace, name, route, reason } of problems) {
    if (state !== "Invalid" && state !== "Forbidden") continue;
    const forbidden = state === "Forbidden" ? ({ isForbidden: true } as const) : {};
    const place = { cluster, kind, namespace, name, route };
    yield { action: "invalid", resource: "route", id, ...place, reason, ...forbidden };
  }
}

function pairsOf({ hosts, host, uris, uri }: JsonObject): readonly string[] {
  const words = (...values: readonly (Json | undefined)[]): readonly string[] =>
    values.flat().filter((word) => typeof word === "string");
  return words(hosts, host).flatMap((each) => words(uris, uri).map((path) => `${each}${path}`));
}

function placeOf(
  identity: Identity,
): Pick<PlannedChange, "cluster" | "kind" | "namespace" | "name" | "route"> {
  const { cluster, kind, namespace, name, route } = identity;
  return { cluster, kind, namespace, name, route };
}
