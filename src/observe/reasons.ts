import type { Blocker, Outcome } from "../claims/claim.ts";
import { pairHost, pairUri } from "../declare/pair.ts";
import type { LocalState } from "../shard/change.ts";
import type { GatewayState } from "../write/breaker.ts";
import type { GroupRecord } from "../write/group-record.ts";
import { mayStand } from "../write/group-record.ts";
import { printable } from "./printable.ts";
import type { State } from "./state.ts";
import { stateOf } from "./states.ts";
import type { StateFacts } from "./states.ts";

/** What a sentence about a group may name. */
export interface ReasonFacts extends StateFacts {
  /** What people call a group of ours; undefined: unknown. */
  title(id: string): string | undefined;
  /** The clusters of a group of ours left the configuration, with what to do; undefined: they did not. */
  whyHeldForGood(id: string): string | undefined;
  /** Nothing declares it any more, and its grace is not over. */
  isLeaving(id: string): boolean;
  /** The guard holds the loss of what this cluster has in a fleet group. */
  isPartHeld(id: string, cluster: string): boolean;
  /** What `POST /guard/approve` takes now. */
  batch(): string | undefined;
  /** Told is what would be: nothing that is held can be let go here. */
  readonly isPlan?: boolean;
  gateway(): GatewayState;
  /** By `POST /pause`. */
  isPaused(): boolean;
  /** Milliseconds until the next burst of route writes may begin. */
  nextBurst(): number;
  /** Clusters that the first reconcile waits for before it grants pairs; undefined: bursts are open. */
  waitsFor(): readonly string[] | undefined;
  now(): number;
  /** Wall clock, milliseconds. */
  wall(): number;
}

/** What the shard says of one declaration by itself. */
export interface Local {
  readonly state: LocalState;
  /** `""` where there is nothing to say. */
  readonly reason: string;
  /** Where it is declared, or was. */
  readonly cluster?: string;
  /** Nodes that it gives; undefined where it is not one member of several. */
  readonly nodes?: number;
}

/** State and reason, one sentence without full stop. */
export function explainState(
  record: GroupRecord,
  local: Local,
  facts: ReasonFacts,
): { readonly state: State; readonly reason: string } {
  const state = stateOf(record, local.state, facts);
  return { state, reason: printable(reasonOf(state, record, local, facts)) };
}

function reasonOf(state: State, record: GroupRecord, local: Local, facts: ReasonFacts): string {
  switch (state) {
    case "Frozen":
      return frozenReason(record, local, facts);
    case "Invalid":
    case "Forbidden":
    case "SpecMismatch":
      return local.reason === "" ? (record.change?.reason ?? "") : local.reason;
    case "Rejected":
      return rejectedReason(record);
    case "Conflict":
      return conflictReason(record, facts);
    case "Pending":
      return pendingReason(record, facts);
    case "Leaving":
      return leavingReason(record, facts);
    case "NoNodes":
      return mayStand(record)
        ? `it is routed, and ${local.nodes === 0 && local.reason !== "" ? local.reason : "nothing behind it is ready"}`
        : "everything behind it is ending, and nothing of it stands in APISIX";
    case "Routed": {
      const why = local.reason === "" ? "" : `: ${local.reason}`;
      return local.nodes === 0
        ? `APISIX holds it as declared; this one gives no node now${why}`
        : "APISIX holds it as declared";
    }
  }
}

function frozenReason(record: GroupRecord, local: Local, facts: ReasonFacts): string {
  if (local.state === "Unseen") return unseenReason(record, local, facts);
  if (local.state === "Paused") return local.reason === "" ? paused : local.reason;
  const hidden = facts.hidden(record);
  if (hidden !== undefined) return `${hidden}; what stands in APISIX is kept as it is`;
  if (facts.isHeld(record.id)) return heldReason(record, facts);
  if (record.change?.stand.type === "untouched") return record.change.reason ?? paused;
  if (local.state === "Unclear") return local.reason === "" ? (record.change?.reason ?? "") : local.reason;
  return "it stands in APISIX, and no cluster that can be seen declares it";
}

function unseenReason({ id }: GroupRecord, { cluster, reason }: Local, facts: ReasonFacts): string {
  if (cluster === undefined || !facts.isPartHeld(id, cluster)) return reason;
  return guardHolds(`the loss of all that ${cluster} has in this group`, facts);
}

const paused = "paused by its annotation";

function heldReason({ change }: GroupRecord, facts: ReasonFacts): string {
  const isBare = change !== undefined && "bare" in change.stand && change.stand.bare;
  const isForbidden = (change?.counts.Forbidden ?? 0) > 0;
  const why = isForbidden ? "which policy forbids" : "whose slices or Nodes are gone";
  return guardHolds(isBare ? `the loss of all its nodes, ${why}` : "its removal", facts);
}

function guardHolds(what: string, { isPlan = false, batch }: ReasonFacts): string {
  if (isPlan) return `the guard would hold ${what}`;
  return `the guard holds ${what}; POST /guard/approve?batch=${batch() ?? ""} lets it go`;
}

function rejectedReason({ rejected, route, upstream }: GroupRecord): string {
  if (rejected === undefined) return "";
  const { resource, status, message } = rejected;
  const stands = (resource === "route" ? route : upstream) !== undefined;
  const kept = stands ? "; what it accepted last stands" : "";
  return `APISIX refused the ${resource} with ${status}: ${message.slice(0, longestMessage)}${kept}`;
}

/** What APISIX says of a body can quote all of it. */
const longestMessage = 500;

/** Says of a Conflict that the declaration has been routed, and its nodes are used. */
export const oldRouteStands = "its old route stands meanwhile";

function conflictReason(record: GroupRecord, facts: ReasonFacts): string {
  const outcome = facts.outcome(record.id);
  const kept = record.route === undefined ? "" : `; ${oldRouteStands}`;
  const [first, ...more] = outcome.state === "conflict" ? outcome.blockers : [];
  if (first === undefined || first.by === record.id)
    return `an object that is not ours stands in APISIX under its id ${record.id}${kept}`;
  const others = new Set(more.map(({ pair }) => pair).filter((pair) => pair !== first.pair)).size;
  const also = others === 0 ? "" : `, and ${others} more of its pairs are held too`;
  const why = first.foreign ? undefined : facts.whyHeldForGood(first.by);
  const forGood = why === undefined ? "" : `; ${why}`;
  return `${pairText(first.pair)} is held by ${holderText(first, facts)}${also}${kept}${forGood}`;
}

function holderText({ by, foreign }: Blocker, facts: ReasonFacts): string {
  if (foreign) return `the foreign route ${by}`;
  const leaving = facts.isLeaving(by) ? ", which is leaving" : "";
  return `${facts.title(by) ?? `route ${by}`}${leaving}`;
}

function pendingReason(record: GroupRecord, facts: ReasonFacts): string {
  if (facts.isPaused()) return "writes are paused; it is written after POST /resume";
  if (facts.gateway() === "down") return "APISIX does not answer; it is written once APISIX does";
  if (record.retryAt > facts.now())
    return `its last request did not succeed; it is tried again at ${at(record.retryAt - facts.now(), facts)}`;
  if (record.uncertain !== undefined)
    return "a request for it ended without an answer; it is read back once APISIX answers normally";
  const outcome: Outcome = facts.outcome(record.id);
  if (outcome.state === "holds") return "its upstream is about to be written";
  const waitsFor = facts.waitsFor();
  if (waitsFor !== undefined)
    return waitsFor.length === 0
      ? "it is written once APISIX has been read"
      : `it is written once these clusters were heard or are known to be silent: ${waitsFor.join(", ")}`;
  const wait = facts.nextBurst();
  return wait === 0
    ? "the burst of route writes that goes now writes it"
    : `the next burst of route writes goes at ${at(wait, facts)}`;
}

function leavingReason({ leaving, ending, usedBy, retryAt }: GroupRecord, facts: ReasonFacts): string {
  if (ending && usedBy !== undefined) {
    const next = at(Math.max(0, retryAt - facts.now()), facts);
    return `nothing declares it any more, and its upstream stays while ${usedBy}, which is not ours, uses it: delete that, or have it use another upstream; tried again at ${next}`;
  }
  if (leaving !== undefined) {
    const emptied = leaving.emptied ? "it is emptied" : "it is being emptied";
    const due = at(Math.max(0, leaving.due - facts.now()), facts);
    return `its object is gone, or its label was taken away; ${emptied}, and deleted by the first burst of route writes after ${due}`;
  }
  return ending
    ? "nothing declares it any more; the next burst of route writes deletes it"
    : "nothing declares it any more; its removal is being judged";
}

const at = (wait: number, facts: ReasonFacts): string => new Date(facts.wall() + wait).toISOString();

/** As a person writes it; a foreign route without hosts matches all of them. */
export function pairText(pair: string): string {
  const host = pairHost(pair);
  return `${host === "" ? "every host, " : host}${pairUri(pair)}`;
}
