import type { SinkArrivals } from "../processes/sink-process.ts";

interface Waiting {
  readonly missing: number;
  readonly at: number;
}

/**
 * Pairs changes with the requests that carry them. A request says which endpoint it lacks, so it carries the newest change
 * before it that took that one, and every older one that has not been carried: several changes may be one write.
 *
 * @param changes three numbers each: the Service's number, the endpoint that is missing, the moment.
 * @returns milliseconds of each change that was carried.
 */
export function latenciesOf(
  changes: Float64Array,
  arrivals: SinkArrivals,
  { numbers, endpoints }: { readonly numbers: ReadonlyMap<string, number>; readonly endpoints: number },
): { readonly taken: number[]; readonly lost: number } {
  const waiting = new Map<number, Waiting[]>();
  for (let index = 0; index < changes.length; index += 3) {
    const [number = 0, missing = 0, at = 0] = changes.subarray(index, index + 3);
    const queue = waiting.get(number);
    if (queue === undefined) waiting.set(number, [{ missing, at }]);
    else queue.push({ missing, at });
  }
  const taken: number[] = [];
  for (const [index, id] of arrivals.ids.entries()) {
    const number = numbers.get(id);
    const queue = number === undefined ? undefined : waiting.get(number);
    if (number === undefined || queue === undefined) continue;
    const at = arrivals.at[index] ?? NaN;
    const missing = missingOf(number, endpoints, arrivals.nodes[index] ?? 0, arrivals.sums[index] ?? 0);
    const newest = queue.findLastIndex((each) => each.missing === missing && each.at <= at);
    for (const carried of queue.splice(0, newest + 1)) taken.push(at - carried.at);
  }
  return { taken, lost: changes.length / 3 - taken.length };
}

/** Of the Service's endpoints, whose addresses follow each other, the one that is not among the nodes; -1: not just one. */
function missingOf(number: number, endpoints: number, nodes: number, sum: number): number {
  if (nodes !== endpoints - 1) return -1;
  const first = number * endpoints;
  return endpoints * first + (endpoints * (endpoints - 1)) / 2 - sum - first;
}
