import type { AdminExchange } from "../../../src/sim/admin/admin-exchange.ts";
import type { CompleteList } from "../wire/kube-tap.ts";
import type { SentRequest } from "../wire/admin-tap.ts";

/** Watches from outside for one invariant of ARCHITECTURE.md. */
export interface Check {
  /** A process sends a request. */
  sent?(request: SentRequest): void;
  /** A process has heard what became of it: the status, or why there is none. */
  ended?(request: SentRequest, how: string): void;
  /** APISIX has applied or refused a request; `request` is undefined for a human's or a stranger's. */
  applied?(exchange: AdminExchange, request: SentRequest | undefined): void;
  /** The objects of a cluster have changed. */
  changed?(cluster: string): void;
  /** A process has heard a complete list of one kind in a cluster. */
  listed?(cluster: string, list: CompleteList): void;
  /** A translator that remembers nothing begins to lead. */
  started?(): void;
  /** An operator has approved what the guard held. */
  approved?(): void;
}

/** Number of the invariant, or what else must not happen. */
export type Invariant =
  | 1
  | 2
  | 3
  | 4
  | 5
  | 6
  | 7
  | 8
  | 9
  | 10
  | "fault"
  | "guard"
  | "pause"
  | "crash"
  | "endless";

export interface Violation {
  readonly invariant: Invariant;
  readonly text: string;
  /** Milliseconds of virtual time. */
  readonly at: number;
}
