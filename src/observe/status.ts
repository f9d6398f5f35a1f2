import type { Forged } from "../apisix/snapshot.ts";
import type { GatewayState } from "../write/breaker.ts";
import type { GuardStatus } from "../write/guard.ts";
import type { Kind, KindHealth } from "../watch/events.ts";
import type { EventCounts, EventOutcome } from "./event-counts.ts";
import { eventOutcomes } from "./event-counts.ts";
import type { Role } from "./observed.ts";
import { printable } from "./printable.ts";
import type { StateCounts } from "./state.ts";

/** Of objects in each list. */
const mostNamed = 100;

/** Body of `/status` (PRODUCT.md, "HTTP"). Times are ISO 8601 in UTC; null: unknown, or there is none. */
export interface Status {
  readonly role: Role;
  readonly leader: string | null;
  /** By `POST /pause`: nothing is written. */
  readonly paused: boolean;
  /** `run --shadow`: writes are made up, and everything else here is as if they were not. */
  readonly shadow: boolean;
  readonly clusters: readonly ClusterStatus[];
  readonly queues: { readonly drip: number; readonly burst: number; readonly nextBurstAt: string | null };
  readonly routes: StateCounts;
  readonly guard: { readonly held: number; readonly batch: string | null };
  readonly gateway: {
    readonly state: GatewayState;
    readonly version: string | null;
    readonly routes: number | null;
  };
  /** Objects with our ownership labels that are not ours, as `route stolen`: never touched; the first hundred. */
  readonly forged: readonly string[];
  /** Upstreams that are to go and cannot, as `t-1 by route [shop]`: what is not ours uses them; the first hundred. */
  readonly usedByOthers: readonly string[];
  /** Watch events since the start; `dropped`: the share of all that each sieve took, 0 to 1. */
  readonly events: {
    readonly total: number;
    readonly kept: number;
    readonly dropped: Readonly<Record<Exclude<EventOutcome, "kept">, number>>;
  };
  readonly workers: { readonly restarts: number; readonly quarantined: readonly string[] };
}

interface ClusterStatus {
  readonly name: string;
  readonly uid: string | null;
  readonly weight: number;
  readonly kinds: Readonly<Partial<Record<Kind, KindStatus>>>;
}

interface KindStatus {
  readonly state: KindHealth["state"];
  readonly since: string;
  readonly objects: number;
  readonly reason?: string;
}

/** What the stages know. */
export interface StatusFacts {
  readonly role: Role;
  readonly leader: string | undefined;
  readonly paused?: boolean;
  readonly shadow?: boolean;
  readonly clusters: readonly {
    readonly name: string;
    readonly uid: string | undefined;
    readonly weight: number;
    readonly kinds: Iterable<readonly [Kind, KindHealth]>;
  }[];
  /** `nextBurstAt`: wall-clock milliseconds; undefined where nothing waits for a burst. */
  readonly queues: {
    readonly drip: number;
    readonly burst: number;
    readonly nextBurstAt: number | undefined;
  };
  readonly routes: StateCounts;
  readonly guard: GuardStatus;
  /** `version`: `""` or undefined where it is not known. */
  readonly gateway: {
    readonly state: GatewayState;
    readonly version: string | undefined;
    readonly routes: number | undefined;
  };
  readonly forged?: readonly Forged[];
  readonly usedByOthers?: Iterable<{ readonly id: string; readonly usedBy: string | undefined }>;
  readonly events: EventCounts;
  readonly workers: { readonly restarts: number; readonly quarantined: readonly string[] };
}

export function statusOf(facts: StatusFacts): Status {
  const { queues, guard, gateway } = facts;
  return {
    role: facts.role,
    leader: facts.leader ?? null,
    paused: facts.paused ?? false,
    shadow: facts.shadow ?? false,
    clusters: facts.clusters.map(({ name, uid, weight, kinds }) => ({
      ...{ name, uid: uid ?? null, weight },
      kinds: Object.fromEntries([...kinds].map(([kind, health]) => [kind, kindStatus(health)])),
    })),
    queues: { drip: queues.drip, burst: queues.burst, nextBurstAt: isoOrNull(queues.nextBurstAt) },
    routes: facts.routes,
    guard: { held: guard.held, batch: guard.batch ?? null },
    gateway: { state: gateway.state, version: gateway.version || null, routes: gateway.routes ?? null },
    forged: (facts.forged ?? []).slice(0, mostNamed).map(({ resource, id }) => `${resource} ${id}`),
    usedByOthers: Iterator.from(facts.usedByOthers ?? [])
      .take(mostNamed)
      .map(({ id, usedBy = "" }) => `${id} by ${printable(usedBy)}`)
      .toArray(),
    events: eventShares(facts.events),
    workers: facts.workers,
  };
}

function kindStatus(health: KindHealth): KindStatus {
  const { state, objects } = health;
  const status = { state, since: new Date(health.since).toISOString(), objects };
  return health.state === "degraded" ? { ...status, reason: health.reason } : status;
}

function eventShares(events: EventCounts): Status["events"] {
  const sum = (outcome: EventOutcome): number =>
    Object.values(events).reduce((all, counts) => all + counts[outcome], 0);
  const total = eventOutcomes.reduce((all, outcome) => all + sum(outcome), 0);
  const share = (outcome: EventOutcome): number => (total === 0 ? 0 : sum(outcome) / total);
  return {
    total,
    kept: sum("kept"),
    dropped: {
      generation: share("generation"),
      identical: share("identical"),
      unchanged: share("unchanged"),
      unselected: share("unselected"),
      absent: share("absent"),
      malformed: share("malformed"),
      stale: share("stale"),
      unreadable: share("unreadable"),
    },
  };
}

const isoOrNull = (wall: number | undefined): string | null =>
  wall === undefined ? null : new Date(wall).toISOString();
