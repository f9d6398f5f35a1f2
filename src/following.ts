import type { Kind } from "./watch/events.ts";

/** How far one kind of one cluster has come. */
type Progress =
  /** Listing for the first time, or not to be seen: nothing that rests on it is written. */
  | "hidden"
  /** Out of sight; the shards are being told. */
  | "hiding"
  /** Listed completely; the shards are being told. */
  | "settling"
  | "visible";

/** One kind of one cluster. */
export interface Followed {
  readonly cluster: string;
  readonly kind: Kind;
  progress: Progress;
  /** Number of the list that is judged now: an older one's end says nothing any more. */
  turn: number;
  /** Its list was complete before what stands in APISIX was known. */
  isEarly: boolean;
  /** A new list of it takes objects away, and the shards have been told. */
  isDoubted: boolean;
}

/** Every kind of every cluster that was ever heard of, and how far each has come. */
export class Following {
  /** cluster → kind. */
  readonly #clusters = new Map<string, Map<Kind, Followed>>();

  /** Made if it is not there. */
  follow(cluster: string, kind: Kind): Followed {
    const kinds = this.#clusters.get(cluster) ?? new Map<Kind, Followed>();
    this.#clusters.set(cluster, kinds);
    const found: Followed = kinds.get(kind) ?? {
      ...{ cluster, kind, progress: "hidden", turn: 0, isEarly: false, isDoubted: false },
    };
    kinds.set(kind, found);
    return found;
  }

  get(cluster: string, kind: Kind): Followed | undefined {
    return this.#clusters.get(cluster)?.get(kind);
  }

  of(cluster: string): Followed[] {
    return [...(this.#clusters.get(cluster)?.values() ?? [])];
  }

  clusters(): string[] {
    return [...this.#clusters.keys()];
  }

  all(): Followed[] {
    return this.clusters().flatMap((cluster) => this.of(cluster));
  }

  progress(cluster: string, kind: Kind): Progress | undefined {
    return this.get(cluster, kind)?.progress;
  }

  isAny(cluster: string, progress: Progress): boolean {
    return this.of(cluster).some((followed) => followed.progress === progress);
  }

  forget(cluster: string, kind: Kind): void {
    this.#clusters.get(cluster)?.delete(kind);
  }

  leave(cluster: string): void {
    this.#clusters.delete(cluster);
  }
}
