import type { Pair } from "../declare/pair.ts";
import type { Blocker, Claim, Outcome } from "./claim.ts";
import { isFree, isSatisfied } from "./entry.ts";
import type { Entry } from "./entry.ts";
import type { Obstacle, Occupancy } from "./occupancy.ts";

/** How `entry` fares, as far as claims go: why it was refused or blocked is known to whoever said so. */
export function outcomeOf(entry: Entry, occupancy: Occupancy): Outcome {
  const stays: Outcome = entry.shape === null ? { state: "none" } : { state: "holds", pairs: entry.standing };
  if (entry.word.type !== "want" || entry.waitsForWord === "refused") return stays;
  if (entry.sent !== undefined || entry.waitsForWord === "unanswered") return { state: "pending" };
  const blockers = blockersOf(entry, entry.word.claim, occupancy);
  if (blockers.length > 0) return { state: "conflict", blockers };
  if (isSatisfied(entry)) return stays;
  return isFree(entry) || entry.shape === null ? { state: "pending" } : stays;
}

/**
 * Whether a route that stands, or may since its write had no answer, keeps `entry` from a pair that it wants. One that is
 * on its way does not yet: it may be refused. Where `entry` stands itself, neither does one that stays only because APISIX
 * refuses what it wants: of several that want each other's pairs, all refused, each would make way for the next, for ever.
 */
export function isKeptOut(entry: Entry, occupancy: Occupancy): boolean {
  const { word, sent, waitsForWord, shape } = entry;
  if (word.type !== "want" || sent !== undefined || waitsForWord === "unanswered") return false;
  const isKept = (pair: Pair): boolean =>
    keepersOf(entry, word.claim, pair, occupancy).some(
      ({ isSent, isStuck }) => isSent !== true && (isStuck !== true || shape === null),
    );
  return occupancy.isOccupied(entry.id) || word.claim.pairs.some(isKept);
}

/** Who keeps it from `pair`, and does not yield. */
function keepersOf(entry: Entry, claim: Claim, pair: Pair, occupancy: Occupancy): readonly Obstacle[] {
  return occupancy.obstacles(entry, claim, pair).filter(({ yields }) => yields === undefined);
}

function blockersOf(entry: Entry, claim: Claim, occupancy: Occupancy): Blocker[] {
  const blockers = claim.pairs.flatMap((pair) =>
    keepersOf(entry, claim, pair, occupancy).map(({ by, foreign }) => ({ pair, by, foreign })),
  );
  const [first] = claim.pairs;
  if (blockers.length === 0 && first !== undefined && occupancy.isOccupied(entry.id))
    blockers.push({ pair: first, by: entry.id, foreign: true });
  return blockers;
}
