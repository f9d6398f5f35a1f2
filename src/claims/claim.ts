import type { Identity } from "../apisix/types.ts";
import type { Pair } from "../declare/pair.ts";
import type { Age } from "../shard/change.ts";

/** The vocabulary between the claims and the writer. */

/** What a route of ours matches, as acknowledged or read back. */
export interface RouteShape {
  readonly hosts: readonly string[];
  readonly uris: readonly string[];
}

/** A declared, valid group that wants its route to match `pairs`: hosts × uris, sorted and unique as `pairsOf` gives them. */
export interface Claim {
  readonly id: string;
  readonly identity: Identity;
  readonly age: Age;
  readonly pairs: readonly Pair[];
  /** Takes over pairs from a route that the same object declared until now: goes ahead of older ones. */
  readonly inherits: boolean;
  /** The content of the route may differ from what stands. */
  readonly dirty: boolean;
}

/**
 * A route in APISIX that is not ours, with what it matches (also through its service): each of `hosts` with each of `uris`,
 * of which there is no bound. The host is `""` where it matches every host.
 */
export interface ForeignRoute {
  readonly id: string;
  readonly hosts: readonly string[];
  readonly uris: readonly string[];
  readonly createdIndex: number;
}

/** What takes a route off pairs that it holds. */
export type Cut =
  /**
   * `leaving`: nothing declares it. `yield`: it wants none of its pairs any more and another waits for one, or another
   * of ours stands on one with more right. `foreign`: an older foreign route stands on one; the guard is asked first.
   */
  | { readonly type: "delete"; readonly id: string; readonly why: "leaving" | "yield" | "foreign" }
  /** The route as read back, cut to these hosts and uris: those that it still wants. Never empty. */
  | {
      readonly type: "narrow";
      readonly id: string;
      readonly hosts: readonly string[];
      readonly uris: readonly string[];
    };

/** Leave to write the route with exactly these pairs. */
export interface Grant {
  readonly id: string;
  readonly pairs: readonly Pair[];
  /** Takes a pair that none of ours held when the burst began: a foreign route may have come to stand there. */
  readonly fresh: boolean;
}

/** A claim for which a declared route is to be cut: does APISIX accept what it wants? Nothing is written yet. */
export type Check = Pick<Grant, "id" | "pairs">;

/** Requests that may all be sent in parallel; the next round comes after all of them have been answered. */
export interface Round {
  readonly cuts: readonly Cut[];
  readonly grants: readonly Grant[];
  /** Alone in a round, before routes are cut that are declared. */
  readonly checks?: readonly Check[];
  /** Nothing came of this portion of the candidates, and others are left. */
  readonly more?: true;
}

/** Nothing is to be sent. */
export function isEmpty({ cuts, grants, checks = [] }: Round): boolean {
  return cuts.length === 0 && grants.length === 0 && checks.length === 0;
}

/** Who keeps a claim from a pair. */
export interface Blocker {
  readonly pair: Pair;
  readonly by: string;
  readonly foreign: boolean;
}

export type Outcome =
  /** Nothing stands and nothing is about to. */
  | { readonly state: "none" }
  /** About to be written, or sent and not yet answered. */
  | { readonly state: "pending" }
  | { readonly state: "holds"; readonly pairs: readonly Pair[] }
  | { readonly state: "conflict"; readonly blockers: readonly Blocker[] };

/** A pair on which a foreign route and an older one of ours stand: reported, ours stays. */
export interface Intruder {
  readonly pair: Pair;
  readonly foreign: string;
  readonly ours: string;
}
