import type { Entry } from "./entry.ts";

export interface Room {
  /** Routes to be taken off what they want no more. */
  readonly cut: ReadonlySet<Entry>;
  /** The claims for which they are. */
  readonly served: ReadonlySet<Entry>;
  /**
   * Where a declared route is cut: the claims that its cut sets moving, at once or in turn, and its own, unless that is in
   * conflict: then it yields whatever becomes of it.
   */
  readonly relying: ReadonlySet<Entry>;
}

/**
 * Whom to cut when nothing moves by itself any more. `blockers`: awaiting claims in their order, each with the routes
 * that have to yield. The first in order is served first; what its cuts set moving, directly or in turn, is not cut for
 * anybody. So a ring is cut once, for its first claim, and independent rings are cut in parallel.
 */
export function makeRoom(blockers: ReadonlyMap<Entry, ReadonlySet<Entry>>): Room {
  const cut = new Set<Entry>();
  const served = new Set<Entry>();
  const relying = new Set<Entry>();
  const moving = new Set<Entry>();
  const blockersLeft = new Map<Entry, number>();
  const awaiting = new Map<Entry, Entry[]>();
  for (const [entry, yielding] of blockers) {
    blockersLeft.set(entry, yielding.size);
    for (const other of yielding) {
      const found = awaiting.get(other);
      if (found === undefined) awaiting.set(other, [entry]);
      else found.push(entry);
    }
  }
  const setMoving = (first: Entry, isMissed: boolean): void => {
    const moves = [first];
    for (let entry = moves.pop(); entry !== undefined; entry = moves.pop()) {
      if (moving.has(entry)) continue;
      moving.add(entry);
      if (isMissed && entry.word.type === "want" && entry.waitsOn === undefined) relying.add(entry);
      for (const next of awaiting.get(entry) ?? []) {
        const left = (blockersLeft.get(next) ?? 0) - 1;
        blockersLeft.set(next, left);
        if (left === 0) moves.push(next);
      }
    }
  };
  for (const [entry, yielding] of blockers) {
    const others = [...yielding];
    if (moving.has(entry) || others.some((other) => moving.has(other))) continue;
    served.add(entry);
    for (const other of others) cut.add(other);
    const isMissed = others.some(({ word }) => word.type === "want");
    for (const other of others) setMoving(other, isMissed);
  }
  return { cut, served, relying };
}
