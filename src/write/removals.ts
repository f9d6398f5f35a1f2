import type { Clock, Log } from "../runtime.ts";
import type { GroupRecord } from "./group-record.ts";
import type { Guard } from "./guard.ts";

export interface RemovalParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly guard: Guard;
  /** Groups that this instance owns: in the cluster, and in all. */
  readonly owned: (cluster: string) => { readonly cluster: number; readonly all: number };
  /** The guard let it go. */
  readonly begin: (record: GroupRecord, grace: boolean) => void;
  /** The guard holds it: it keeps nodes, route and pairs. */
  readonly hold: (record: GroupRecord) => void;
}

/**
 * What must go, on its way through the guard. Removals that a relist or the start of a cluster brings are gathered
 * while its judgement is open, and judged whole.
 */
export class Removals {
  readonly #parts: RemovalParts;
  readonly #asked = new Map<string, { readonly record: GroupRecord; readonly grace: boolean }>();
  /** Cluster → ids gathered. */
  readonly #judgements = new Map<string, Set<string>>();

  constructor(parts: RemovalParts) {
    this.#parts = parts;
  }

  open(cluster: string): void {
    if (!this.#judgements.has(cluster)) this.#judgements.set(cluster, new Set());
  }

  /** The cluster's removals are all known. `foundNothing`: the complete list was empty where ten or more stood. */
  close(cluster: string, foundNothing: boolean): void {
    const ids = [...(this.#judgements.get(cluster) ?? [])].filter((id) => this.#asked.has(id));
    this.#judgements.delete(cluster);
    if (ids.length === 0) return;
    const { guard, clock, owned } = this.#parts;
    this.#answer(ids, cluster, guard.judge(clock.now(), cluster, ids, owned(cluster), { foundNothing }));
  }

  request(record: GroupRecord, grace: boolean): void {
    const { guard, clock, owned } = this.#parts;
    const { cluster } = record.identity;
    this.#asked.set(record.id, { record, grace });
    const judgement = this.#judgements.get(cluster);
    if (judgement !== undefined) {
      judgement.add(record.id);
      return;
    }
    this.#answer([record.id], cluster, guard.ask(clock.now(), record.id, cluster, owned(cluster)));
  }

  /** It is declared again, or gone. */
  cancel(record: GroupRecord): void {
    record.held = false;
    this.#asked.delete(record.id);
    this.#parts.guard.release(record.id);
  }

  /** Lets go what the guard held under this batch; undefined: there is no such batch. */
  approve(batch: string): number | undefined {
    const ids = this.#parts.guard.approve(batch);
    if (ids === undefined) return undefined;
    this.#release(ids);
    return ids.length;
  }

  #answer(ids: readonly string[], cluster: string, answer: "go" | "held"): void {
    if (answer === "go") return this.#release(ids);
    const { batch } = this.#parts.guard.status();
    const advice = `check that the cluster is right, then approve: POST /guard/approve?batch=${batch}`;
    let fresh = 0;
    for (const id of ids) {
      const asked = this.#asked.get(id);
      if (asked === undefined) continue;
      if (!asked.record.held) fresh++;
      asked.record.held = true;
      this.#parts.hold(asked.record);
    }
    if (fresh > 0)
      this.#parts.log.warn({ cluster, groups: fresh, batch, advice }, "the guard holds removals");
  }

  #release(ids: readonly string[]): void {
    for (const id of ids) {
      const asked = this.#asked.get(id);
      if (asked === undefined) continue;
      this.#asked.delete(id);
      asked.record.held = false;
      this.#parts.begin(asked.record, asked.grace);
    }
  }
}
