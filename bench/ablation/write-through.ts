import { Contents as Real, type Writable } from "../../src/diff/contents.ts";
import type { Group } from "../../src/desired/group.ts";
import type { Tracked } from "../../src/diff/tracked.ts";

export type { Writable } from "../../src/diff/contents.ts";

/** In the place of the comparison with what stands: whatever was touched is taken to differ, and its upstream is written. */
export class Contents extends Real {
  override judge(group: Group, view: Writable, tracked: Tracked, verify: boolean): "judged" | "missing" {
    const judged = super.judge(group, view, tracked, verify);
    if (!verify) Object.assign(tracked.upstream, { state: "dirty", digest: undefined });
    return judged;
  }
}

export function isStanding(): boolean {
  return false;
}
