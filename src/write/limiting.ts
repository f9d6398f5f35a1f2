import type { Identity } from "../apisix/types.ts";
import { RouteLimit } from "../claims/route-limit.ts";
import type { Change } from "../shard/change.ts";
import type { GroupRecord } from "./group-record.ts";
import { mayStand } from "./group-record.ts";
import type { Records } from "./records.ts";

export interface LimitingParts {
  readonly records: Records;
  readonly isBusy: (id: string) => boolean;
  /** Acts on a word. */
  readonly take: (change: Change) => void;
}

/** `policy.maxRoutesPerNamespace` between the shards' words and the writer: tells the limit what the writer knows. */
export class Limiting {
  readonly #parts: LimitingParts;
  readonly #limit: RouteLimit;

  constructor(limit: number, parts: LimitingParts) {
    const { records, isBusy } = parts;
    this.#parts = parts;
    this.#limit = new RouteLimit(limit, (id) => {
      const record = records.get(id);
      return record !== undefined && (mayStand(record) || isBusy(id));
    });
  }

  /** Words of shards, of which those that come together are judged together; returns the words to act on. */
  judge(changes: readonly Change[]): readonly Change[] {
    return this.#limit.take(changes);
  }

  /** The policy has changed while running. */
  configure(limit: number): void {
    this.#act(this.#limit.configure(limit, this.#parts.records.all()));
  }

  /** What stands has been read. */
  begin(): void {
    this.#limit.begin(this.#parts.records.all());
  }

  /** What stands of a group has been looked at: somebody may have made what is forbidden. */
  looked(record: GroupRecord): void {
    const { change } = record;
    if (change?.limited === undefined || change.stand.type !== "nothing" || !mayStand(record)) return;
    this.#parts.take({ ...change, stand: { type: "absent", grace: false, cause: "forbidden" } });
  }

  /** Nothing of it stands any more, and it is forgotten: who is forbidden stays so, and the place of others is free. */
  forgotten(id: string): void {
    this.#act(this.#limit.forgotten(id));
  }

  unhear(isOf: (identity: Identity) => boolean): void {
    this.#limit.unhear(isOf);
  }

  rehear(isOf: (identity: Identity) => boolean): void {
    this.#act(this.#limit.rehear(isOf));
  }

  #act(changes: readonly Change[]): void {
    for (const change of changes) this.#parts.take(change);
  }
}
