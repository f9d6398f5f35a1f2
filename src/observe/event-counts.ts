import type { DropReason } from "../filter/kept.ts";
import type { Kind } from "../watch/events.ts";

/**
 * What became of one watch event: kept, or the sieve that dropped it. `unreadable`: a frame or list that ends what was
 * open, and is followed by another list.
 */
export type EventOutcome = "kept" | DropReason | "unreadable";

export const kinds = ["pods", "services", "endpointslices", "nodes"] as const satisfies readonly Kind[];

export const eventOutcomes = [
  "kept",
  "generation",
  "identical",
  "unchanged",
  "unselected",
  "absent",
  "malformed",
  "stale",
  "unreadable",
] as const satisfies readonly EventOutcome[];

export type EventCounts = Readonly<Record<Kind, Readonly<Record<EventOutcome, number>>>>;

/** Of all kinds together. */
export function countsOf(events: EventCounts): Record<EventOutcome, number> {
  const sum = (outcome: EventOutcome): number => kinds.reduce((all, kind) => all + events[kind][outcome], 0);
  return Object.fromEntries(eventOutcomes.map((outcome) => [outcome, sum(outcome)])) as Record<
    EventOutcome,
    number
  >;
}

/** A number for each kind and outcome, so that counting an event costs one addition. */
export function noEvents(): Record<Kind, Record<EventOutcome, number>> {
  const none = (): Record<EventOutcome, number> => ({
    ...{
      kept: 0,
      generation: 0,
      identical: 0,
      unchanged: 0,
      unselected: 0,
      absent: 0,
      malformed: 0,
      stale: 0,
      unreadable: 0,
    },
  });
  return { pods: none(), services: none(), endpointslices: none(), nodes: none() };
}
