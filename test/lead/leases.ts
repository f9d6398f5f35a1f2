import type { ElectionState, ElectionTimes } from "../../src/lead/election-step.ts";
import type { Lease } from "../../src/lead/lease.ts";

export const times: ElectionTimes = { duration: 15_000, renewDeadline: 10_000, retryPeriod: 2000 };

export function lease(holder: string, version: string, more: Partial<Lease> = {}): Lease {
  return { holder, version, duration: 15_000, address: undefined, object: {}, ...more };
}

/** We hold the Lease since the renewal that was sent at `renewedAt`. */
export function holding(renewedAt: number, more: object = {}): ElectionState {
  const state = { at: "holding", lease: lease("me", "5"), renewedAt, tryAt: renewedAt + 2000, busy: false };
  return { ...state, ...more } as ElectionState;
}
