import { Judge as Real } from "../../src/diff/judge.ts";

export type { Drained } from "../../src/diff/judge.ts";

/** In the place of the indexes: whatever is touched, every group is translated anew and compared with what stands. */
export class Judge extends Real {
  override judgeAll(ids: Iterable<string>, bodies: number): void {
    const touched = [...ids];
    if (touched.length > 0) for (const id of [...this.desired.groups.keys()]) this.judge(id, true);
    super.judgeAll(touched, bodies);
  }
}
