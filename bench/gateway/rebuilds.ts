/** Milliseconds: route writes so near to the first of them are one rebuild (FACTS: those between two requests share one). */
const shared = 50;
/** Milliseconds that a rebuild takes for each route that stands. */
const perRoute = 0.03;

/** Rebuilds of the router that route writes at these moments cause, in the order of time. */
export function rebuildsOf(moments: Iterable<number>): number {
  let rebuilds = 0;
  let begun = -Infinity;
  for (const at of [...moments].toSorted((a, b) => a - b)) {
    if (at - begun < shared) continue;
    begun = at;
    rebuilds++;
  }
  return rebuilds;
}

/** The part of the time that they take. */
export function shareOf(rebuilds: number, routes: number, seconds: number): number {
  return (rebuilds * routes * perRoute) / (seconds * 1000);
}
