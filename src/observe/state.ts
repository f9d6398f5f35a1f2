/** Where a declaration stands (PRODUCT.md, "Where a declaration stands"): the same word everywhere it is told. */
export const states = [
  "Pending",
  "Routed",
  "NoNodes",
  "Conflict",
  "Forbidden",
  "Invalid",
  "SpecMismatch",
  "Rejected",
  "Frozen",
  "Leaving",
] as const;

export type State = (typeof states)[number];

/** How many declarations stand where; every state is named. */
export type StateCounts = Readonly<Record<State, number>>;
