import type { Identity, MemberCluster, Resource, Standing } from "../apisix/types.ts";
import type { Claim, RouteShape } from "../claims/claim.ts";
import type { Change } from "../shard/change.ts";

/** `nodes`: how many it has; undefined: not known. */
export interface StandingUpstream extends Standing {
  readonly nodes?: number | undefined;
}

/** What stands in APISIX under one id, as last read or acknowledged. Digest `""`: it stands, its content is not known. */
interface Ledgered {
  upstream: StandingUpstream | undefined;
  route: (Standing & { readonly shape: RouteShape }) | undefined;
  /** Clusters that have, or may have or come to have, a part in the upstream: of a fleet group alone. */
  members: readonly MemberCluster[];
  /** Those that the upstream names which stands under the id of a fleet group and is not ours. */
  named: readonly MemberCluster[];
  /** `Clock.now()` of the last look that saw both resources; undefined: never looked. */
  lookedAt: number | undefined;
  /** A look since then had an answer that cannot be used: whose it is by now is read before anything of it is written. */
  misread: boolean;
}

/** What may still come to stand, whatever a look finds meanwhile. */
interface Uncertain {
  /** When the id next succeeded. */
  okAt: number | undefined;
  /** It may be a route, or the end of one. */
  readonly route: boolean;
  /** Clusters that upstreams which may come name: of a fleet group alone. */
  readonly members: readonly MemberCluster[];
}

/** Everything the writer remembers of one id: keys and facts, never a body. */
export interface GroupRecord extends Ledgered {
  readonly id: string;
  readonly identity: Identity;
  /** The shard's last word; undefined while no shard has spoken of what stands. */
  change: Change | undefined;
  claim: Claim | undefined;
  /** Content that may differ from what stands and is not being written. */
  dirty: { upstream: boolean; route: boolean };
  /** When the oldest event that is not yet written was read. */
  at: number | undefined;
  /** The guard holds its removal. */
  held: boolean;
  /** Clusters whose part in it a list took away, as its shard says. */
  goneParts: ReadonlySet<string>;
  /** Those that a shard said which is lost: to be said anew. */
  unheardParts: ReadonlySet<string>;
  /** Its object is gone: emptied, deleted when `due`. `tookNodes`: there were some until then. */
  leaving: { due: number; emptied: boolean; tookNodes?: boolean } | undefined;
  /** Nothing declares it and nothing is waited for. */
  ending: boolean;
  /**
   * APISIX refused a body, so many `times` in a row; it is tried again at `until`, or when it changes. `isCut`: it was to
   * take something away.
   */
  rejected:
    | { resource: Resource; isCut: boolean; status: number; message: string; times: number; until: number }
    | undefined;
  /** What of somebody else's keeps its upstream from being deleted, as `route [shop]`. */
  usedBy: string | undefined;
  /** When it was found that the route, or the upstream, under this id is not ours: it is never touched. The other may be. */
  occupied: Readonly<Record<Resource, number | undefined>>;
  /** A request ended without an answer. */
  uncertain: Uncertain | undefined;
  /** Failures in a row; the next try waits until `retryAt`. */
  failures: number;
  retryAt: number;
  /** A request of this id is on its way; what only waits for its turn, or for its body, does not count. */
  atWork: boolean;
  /** When the last request of this id ended. */
  endedAt: number;
  /** Part of the counts of groups and of routes that stand. */
  isCounted: { group: boolean; route: boolean };
  /** Clusters of `members` under which it is found and counted. */
  places: readonly string[];
  drift: Readonly<Record<Resource, boolean>>;
  lastWrite: { at: number; resource: Resource; status: number } | undefined;
}

/** Shared by all records of which nothing else is to be said: there are a hundred thousand. */
const noClusters: ReadonlySet<string> = new Set();
const unoccupied: GroupRecord["occupied"] = { upstream: undefined, route: undefined };
const noDrift: GroupRecord["drift"] = { upstream: false, route: false };
const noMembers: GroupRecord["members"] = [];
const noPlaces: GroupRecord["places"] = [];

/** One literal: an object that is put together from others keeps its properties in an array of their own. */
export function newRecord(id: string, identity: Identity): GroupRecord {
  return {
    id,
    identity,
    upstream: undefined,
    route: undefined,
    members: noMembers,
    named: noMembers,
    lookedAt: undefined,
    misread: false,
    change: undefined,
    claim: undefined,
    dirty: { upstream: false, route: false },
    at: undefined,
    held: false,
    goneParts: noClusters,
    unheardParts: noClusters,
    leaving: undefined,
    ending: false,
    rejected: undefined,
    usedBy: undefined,
    occupied: unoccupied,
    uncertain: undefined,
    failures: 0,
    retryAt: 0,
    atWork: false,
    endedAt: 0,
    isCounted: { group: false, route: false },
    places: noPlaces,
    drift: noDrift,
    lastWrite: undefined,
  };
}

/** Whether an object stands under its id that is not ours. */
export function isOccupied({ occupied }: Pick<GroupRecord, "occupied">): boolean {
  return occupied.upstream !== undefined || occupied.route !== undefined;
}

/** Whether something of it stands in APISIX, or may. */
export function mayStand(record: GroupRecord): boolean {
  return record.upstream !== undefined || record.route !== undefined || record.uncertain !== undefined;
}

/** A request that is under way (`isBusy`) may give nodes to what has none. */
export function mayHaveNodes({ upstream }: GroupRecord, isBusy: boolean): boolean {
  return upstream !== undefined && (upstream.nodes !== 0 || isBusy);
}

/** Whether it is known to stand, and not only hoped for: a route may refer to it. */
export function standsForCertain(upstream: GroupRecord["upstream"]): boolean {
  return upstream !== undefined && upstream.digest !== "";
}

/** Whether an operator wants it gone for good. */
export function isPurged({ change }: GroupRecord): boolean {
  return change?.stand.type === "absent" && change.stand.cause === "purged";
}

/** Whether its shard speaks of a declaration; what merely keeps a route that stands is none. */
export function isDeclared({ change }: GroupRecord): boolean {
  if (change === undefined || change.stand.type === "absent") return false;
  return change.stand.type !== "nothing" || Object.keys(change.counts).length > 0;
}
