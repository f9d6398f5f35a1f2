import type { Snapshot, Strangers } from "../apisix/snapshot.ts";
import type { Clock } from "../runtime.ts";
import type { Writer } from "./writer.ts";

/** Foreign pairs older than this are read again before a burst that takes pairs never held. */
const longestForeignLook = 30_000;

/** What a look at everything says of strangers. */
type WholeLook = Pick<Snapshot, "startedAt" | "foreignIds">;

export interface ForeignLooksParts {
  readonly clock: Clock;
  readonly writer: Pick<Writer, "setForeign">;
}

/**
 * What was read of strangers' routes, and when.
 *
 * Guarantees: they count as soon as they were read with their services, whatever their look goes on to read; of two looks
 * the one that began later is believed, whichever ends first.
 */
export class ForeignLooks {
  readonly #parts: ForeignLooksParts;
  #last: Strangers | undefined;
  /** When what is acted on was read. */
  #at = Number.NEGATIVE_INFINITY;
  /** What was read before is out of date. */
  #since = Number.NEGATIVE_INFINITY;

  constructor(parts: ForeignLooksParts) {
    this.#parts = parts;
  }

  get isRecent(): boolean {
    return this.#parts.clock.now() - this.#at < longestForeignLook;
  }

  /** Whether they were read since APISIX last failed to answer, or just now; and since they were out of date. */
  isKnown(lastTrouble: number): boolean {
    return this.#at >= this.#since && (this.#at > lastTrouble || this.isRecent);
  }

  outdate(): void {
    this.#since = this.#parts.clock.now();
  }

  /**
   * Just read. `whole`: the last look at everything, for this one has not seen who has which upstream. Where there was
   * none, nothing is written before its end.
   */
  hear(found: Strangers, whole?: WholeLook): void {
    if (this.#last !== undefined && found.startedAt < this.#last.startedAt) return;
    this.#last = found;
    if (whole !== undefined) this.#tell(found, whole);
  }

  /** A look at everything has ended; another one may have read the routes since it did. */
  hearIds(whole: WholeLook): void {
    if (this.#last !== undefined) this.#tell(this.#last, whole);
  }

  #tell({ foreign, routeIds, startedAt }: Strangers, whole: WholeLook): void {
    const { upstream, route } = whole.foreignIds;
    const ids = { upstream: new Set(upstream), route: new Set([...routeIds, ...route]) };
    this.#parts.writer.setForeign({ routes: foreign, ids, asOf: whole.startedAt }, () => {
      this.#at = startedAt;
    });
  }
}
