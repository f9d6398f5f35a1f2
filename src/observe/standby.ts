import type { ClusterConfig, LeaderConfig } from "../config.ts";
import { noStates } from "./count-states.ts";
import type { Explanation } from "./explanation.ts";
import type { Metrics } from "./metrics.ts";
import type { AuditReport, Decision, Observed, Readiness, Role } from "./observed.ts";
import { statusOf } from "./status.ts";
import type { Status } from "./status.ts";

/** What is known of the election. */
export interface ElectionFacts {
  /** Another instance leads, or led last. */
  readonly standsBy: boolean;
  readonly leader: string | undefined;
  /** Why the Lease cannot be reached. */
  readonly problem: string | undefined;
}

export interface StandbyParts {
  /** Those of the configuration file, as it is now. */
  readonly clusters: () => readonly Pick<ClusterConfig, "name" | "weight">[];
  readonly lease: Pick<LeaderConfig, "cluster" | "namespace" | "lease">;
  readonly election: ElectionFacts;
  readonly metrics: Pick<Metrics, "text" | "totals">;
}

const noGuard = { held: 0, batch: undefined };
const noQueues = { drip: 0, burst: 0 };

/** What an instance tells that does not lead: it holds nothing. Until it has seen somebody lead, it is starting. */
export class Standby implements Observed {
  readonly #parts: StandbyParts;

  constructor(parts: StandbyParts) {
    this.#parts = parts;
  }

  role(): Role {
    return this.#parts.election.standsBy ? "standby" : "starting";
  }

  leader(): string | undefined {
    return this.#parts.election.leader;
  }

  ready(): Readiness {
    const role = this.role();
    const ready = role === "standby";
    return { ready, role, waitingFor: ready ? [] : [this.#wait()], degraded: [] };
  }

  status(): Promise<Status> {
    const { clusters, metrics } = this.#parts;
    return Promise.resolve(
      statusOf({
        ...{ role: this.role(), leader: this.leader(), routes: noStates(), guard: noGuard },
        clusters: clusters().map(({ name, weight }) => ({ name, weight, uid: undefined, kinds: [] })),
        queues: { ...noQueues, nextBurstAt: undefined },
        gateway: { state: "unknown", version: undefined, routes: undefined },
        events: metrics.totals().events,
        workers: { restarts: 0, quarantined: [] },
      }),
    );
  }

  explain(): Promise<Explanation> {
    return Promise.resolve({ declarations: [], foreign: [] });
  }

  metrics(): Promise<string> {
    return this.#parts.metrics.text({
      ...{ declarations: noStates(), clusters: [], queues: noQueues },
      ...{ nextBurst: 0, guardHeld: 0, isLeader: false },
    });
  }

  approve(): undefined {
    return undefined;
  }

  /** Nothing is written anyway; a pause would not outlast the election. */
  pause(): Promise<void> {
    return Promise.resolve();
  }

  resume(): void {}

  audit(): Promise<AuditReport> {
    return Promise.resolve({ ok: false, drifted: 0, reason: "this instance does not lead" });
  }

  accept(): Promise<Decision> {
    return Promise.resolve({ ok: false, status: 503, error: "this instance does not lead" });
  }

  purge(): Promise<Decision> {
    return this.accept();
  }

  #wait(): string {
    const { lease, election } = this.#parts;
    const place = `the Lease ${lease.namespace}/${lease.lease} in cluster ${lease.cluster ?? ""}`;
    return election.problem === undefined
      ? `${place} has not been acquired`
      : `${place} cannot be reached: ${election.problem}`;
  }
}
