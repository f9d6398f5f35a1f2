import type { SourceKind } from "../../../src/declare/declaration.ts";
import type { Clock } from "../../../src/runtime.ts";
import type { HeardKind } from "../sim-cluster.ts";
import type { CompleteList, KubeTapOptions } from "./kube-tap.ts";

/** What something rests on: a kind of source, or Services through the Nodes of their cluster. */
export type Basis = SourceKind | "node";

/** Its own kind first. */
const feeds: Readonly<Record<Basis, readonly HeardKind[]>> = {
  pod: ["pods"],
  service: ["services", "endpointslices"],
  node: ["services", "endpointslices", "nodes"],
};

/** The complete lists that one process has heard of each cluster in its term. */
export class HeardLists {
  /** Cluster and kind → its lists. */
  readonly #lists = new Map<string, CompleteList[]>();
  /** Cluster and kind → when the newest list of it was asked for. */
  readonly #begun = new Map<string, number>();
  /** Cluster and kind → when a list of it failed. */
  readonly #failed = new Map<string, number[]>();
  /** Cluster → when it last left the configuration. */
  readonly #left = new Map<string, number>();

  add(cluster: string, list: CompleteList): void {
    const key = `${cluster}/${list.kind}`;
    this.#lists.set(key, [...(this.#lists.get(key) ?? []), list]);
  }

  /** Hears what becomes of the lists of one cluster; `listed` is told of each that is complete. */
  ears(
    cluster: string,
    clock: Pick<Clock, "now">,
    listed: (list: CompleteList) => void,
  ): Pick<KubeTapOptions, "listed" | "begun" | "failed"> {
    return {
      listed: (list) => {
        this.add(cluster, list);
        listed(list);
      },
      begun: (kind) => void this.#begun.set(`${cluster}/${kind}`, clock.now()),
      failed: (kind) => this.fail(cluster, kind, clock.now()),
    };
  }

  /** Whether everything of the kind has been known as it was at one moment since this time: no list was under way. */
  isEvenSince(cluster: string, kind: HeardKind, since: number): boolean {
    const key = `${cluster}/${kind}`;
    const last = this.#lists.get(key)?.at(-1);
    return last !== undefined && last.startedAt >= (this.#begun.get(key) ?? 0) && last.endedAt < since;
  }

  fail(cluster: string, kind: HeardKind, at: number): void {
    const key = `${cluster}/${kind}`;
    this.#failed.set(key, [...(this.#failed.get(key) ?? []), at]);
  }

  /** Since when, at this time, a kind on which it rests is degraded, for a list of it failed and none was heard to its end since. */
  brokenSince(cluster: string, basis: Basis, at: number): number | undefined {
    const since = feeds[basis].flatMap((kind) => {
      const whole = this.#lists.get(`${cluster}/${kind}`)?.findLast(({ endedAt }) => endedAt <= at)?.endedAt;
      const failed = this.#failed.get(`${cluster}/${kind}`) ?? [];
      return failed.find((each) => each <= at && each > (whole ?? -Infinity)) ?? [];
    });
    return since.length === 0 ? undefined : Math.min(...since);
  }

  /** What was heard of it before counts no more. */
  left(cluster: string, at: number): void {
    this.#left.set(cluster, at);
  }

  /**
   * When the last complete lists began, of all kinds on which it rests, that had been heard of a cluster, and were believed,
   * at this time, and since it last left; undefined: of one of them none had been.
   */
  since(cluster: string, basis: Basis, at: number): number | undefined {
    const left = this.#left.get(cluster) ?? -Infinity;
    const began = feeds[basis].map(
      (kind) =>
        this.#lists
          .get(`${cluster}/${kind}`)
          ?.findLast(
            ({ endedAt, believedAt = endedAt }) => believedAt <= at && (left >= at || endedAt > left),
          )?.startedAt,
    );
    return began.some((each) => each === undefined) ? undefined : Math.min(...(began as number[]));
  }

  /**
   * When the last complete list of such sources began that had been heard to its end by this time, and since the cluster
   * last left: as old as what is known of one of them can be when the next word of it is heard. What a list says may be
   * read as late as it ends: one that began before and ended after proves nothing of what was before.
   */
  heardBefore(cluster: string, source: SourceKind, at: number): number | undefined {
    const left = this.#left.get(cluster) ?? -Infinity;
    const lists = this.#lists.get(`${cluster}/${feeds[source][0]}`) ?? [];
    return lists.findLast(({ endedAt }) => endedAt < at && endedAt > left)?.startedAt;
  }

  /** When the first complete list of such sources began that was asked for after this time; undefined: none was heard. */
  firstAfter(cluster: string, source: SourceKind, at: number): number | undefined {
    const lists = this.#lists.get(`${cluster}/${feeds[source][0]}`) ?? [];
    return lists.find(({ startedAt }) => startedAt > at)?.startedAt;
  }

  /**
   * Whether a complete list of such sources that was asked for at `from` or later had been heard, and was believed, before this
   * time, since the cluster last left.
   */
  wasListed(cluster: string, source: SourceKind, from: number, before: number): boolean {
    const left = this.#left.get(cluster) ?? -Infinity;
    const lists = this.#lists.get(`${cluster}/${feeds[source][0]}`) ?? [];
    return lists.some(
      ({ startedAt, endedAt, believedAt = endedAt }) =>
        startedAt >= from && believedAt < before && endedAt > left,
    );
  }
}
