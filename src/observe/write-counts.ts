import type { Resource } from "../apisix/types.ts";
import type { WriteOutcome } from "../write/outcome.ts";
import type { Lane } from "../write/pacer.ts";

export interface WriteCount {
  readonly lane: Lane;
  readonly resource: Resource;
  readonly result: WriteOutcome;
  count: number;
}

const lanes = ["drip", "burst"] as const satisfies readonly Lane[];
const resources = ["upstream", "route"] as const satisfies readonly Resource[];
const results = ["done", "retry", "refused", "unknown", "shadow"] as const satisfies readonly WriteOutcome[];

/** A number for each lane, resource and result, so that each is told from the start, as zero. */
export class WriteCounts {
  readonly #byKey = new Map<string, WriteCount>(
    lanes.flatMap((lane) =>
      resources.flatMap((resource) =>
        results.map((result): [string, WriteCount] => [
          keyOf(lane, resource, result),
          { lane, resource, result, count: 0 },
        ]),
      ),
    ),
  );

  add(lane: Lane, resource: Resource, result: WriteOutcome): void {
    const row = this.#byKey.get(keyOf(lane, resource, result));
    if (row !== undefined) row.count += 1;
  }

  rows(): readonly Readonly<WriteCount>[] {
    return [...this.#byKey.values()].map((row) => ({ ...row }));
  }
}

function keyOf(lane: Lane, resource: Resource, result: WriteOutcome): string {
  return `${lane} ${resource} ${result}`;
}
