import type { Status } from "./status.ts";
import type { Target } from "./target.ts";
import type { Explanation } from "./explanation.ts";

export type Role = "starting" | "standby" | "leader" | "stopping";

/** Body of `/readyz`. */
export interface Readiness {
  readonly ready: boolean;
  readonly role: Role;
  /** What the start waits for, one sentence each; empty once ready. */
  readonly waitingFor: readonly string[];
  /** `cluster/kind: reason`; says nothing against readiness. */
  readonly degraded: readonly string[];
  /** There while an operator has paused all writes. */
  readonly paused?: true;
  /** There under `run --shadow`. */
  readonly shadow?: true;
}

/** Answer to `POST /audit`. */
export interface AuditReport {
  /** APISIX was read as a whole and compared. */
  readonly ok: boolean;
  /** Groups of which something stood otherwise than we left it. */
  readonly drifted: number;
  /** Why it could not be done. */
  readonly reason?: string;
}

/** Answer to `POST /accept` and `POST /purge`. */
export type Decision =
  | {
      readonly ok: true;
      readonly cluster: string;
      /** Accepted: the uid that the name stands for now, and the one before; null: APISIX knew none. */
      readonly uid?: string;
      readonly was?: string | null;
      readonly relabelled?: number;
      /** Purged: the groups that were to go, with those that only lose a part, and how many of them are left. */
      readonly groups?: number;
      readonly left?: number;
      /** Purged: those of `groups` that only lose a part, for other clusters have one too. */
      readonly parts?: number;
      /** Purged: the cluster is in the configuration (out of reach), and returns with its routes. */
      readonly configured?: boolean;
      /** Purged: all writes were paused meanwhile; what is left waits for their end. */
      readonly paused?: true;
      /** Purged: nobody goes on with what is left. */
      readonly ended?: true;
    }
  /** `status`: of HTTP. */
  | { readonly ok: false; readonly status: number; readonly error: string };

/** What the HTTP endpoints need of the controller. Everything answers from memory but the last four. */
export interface Observed {
  role(): Role;
  /** Where the leader's `observe.listen` is found; undefined: unknown, or this instance leads. */
  leader(): string | undefined;
  ready(): Readiness;
  status(): Promise<Status>;
  /** What is known now; nothing: both lists are empty. */
  explain(target: Target): Promise<Explanation>;
  /** Prometheus text. */
  metrics(): Promise<string>;
  /** Groups that were let go; undefined: there is no such batch. */
  approve(batch: string): number | undefined;
  resume(): void;
  /** Stops all writes; resolves when what was in flight has ended. */
  pause(): Promise<void>;
  /** Resolves when the look at APISIX is over. */
  audit(): Promise<AuditReport>;
  /** A rebuilt cluster's new identity is taken for its name. */
  accept(cluster: string): Promise<Decision>;
  /** A cluster is gone for good: everything of it goes, unguarded. */
  purge(cluster: string): Promise<Decision>;
}
