import type { Cancel, Clock } from "./runtime.ts";
import { sourceKinds } from "./store/source-kinds.ts";
import type { SourceKind } from "./declare/declaration.ts";
import type { Intake } from "./intake.ts";
import type { GroupRecord } from "./write/group-record.ts";
import type { Writer } from "./write/writer.ts";

/** Milliseconds after which what could not be written is tried again. */
const againAfter = 5000;
const everySource = Object.keys(sourceKinds) as SourceKind[];

export interface DrainingParts {
  readonly clock: Clock;
  readonly writer: Writer;
  readonly intake: Pick<Intake, "sees" | "isSettling">;
  /** The configured clusters with their weights. */
  readonly clusters: () => readonly { readonly name: string; readonly weight: number }[];
  /** It has neither been heard nor given up yet. */
  readonly isAwaited: (cluster: string) => boolean;
  readonly fault: (error: unknown) => void;
}

/**
 * `clusters[].weight: 0` for a cluster that cannot be seen: the upstreams that are its alone are emptied as they stand
 * (shards do it for what they see, and for its part of fleet groups). Unguarded, for an operator says so, and in upstream
 * writes only. What was taken out is not remembered: it comes back when the cluster is seen.
 */
export class Draining {
  readonly #parts: DrainingParts;
  /** `cluster/kind of source` that have been drained since they went out of sight. */
  readonly #drained = new Set<string>();
  #again: Cancel | undefined;

  constructor(parts: DrainingParts) {
    this.#parts = parts;
  }

  /** Weights have changed, or a kind has come into sight or left it. */
  review(): void {
    const { clusters, writer } = this.#parts;
    if (!writer.isAtWork) return;
    for (const { name, weight } of clusters())
      for (const kind of everySource) {
        const key = `${name}/${kind}`;
        if (weight > 0 || !this.#isLost(name, kind)) this.#drained.delete(key);
        else if (!this.#drained.has(key)) {
          this.#drained.add(key);
          for (const record of [...writer.records.ofKind(name, kind)]) this.#empty(record, key);
        }
      }
  }

  stop(): void {
    this.#again?.();
  }

  #isLost(cluster: string, kind: SourceKind): boolean {
    const { intake, isAwaited } = this.#parts;
    if (isAwaited(cluster) || intake.isSettling(cluster)) return false;
    return sourceKinds[kind].feeds.some((feed) => !intake.sees(cluster, feed));
  }

  #empty(record: GroupRecord, key: string): void {
    const { writer, fault } = this.#parts;
    const { identity, change, upstream } = record;
    if (identity.share === "fleet" || upstream === undefined || change?.stand.type === "untouched") return;
    const isStill = (): boolean => this.#drained.has(key);
    const may = (): boolean => writer.isAtWork && record.occupied.upstream === undefined;
    writer.requests
      .emptyUpstream(record, isStill, may)
      .then((end) => {
        if (end === "done" || end === "bare" || end === "dropped") return;
        this.#drained.delete(key);
        this.#again ??= this.#parts.clock.after(againAfter, () => {
          this.#again = undefined;
          this.review();
        });
      })
      .catch(fault);
  }
}
