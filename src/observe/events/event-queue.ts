import type { KubeEvent } from "./kube-event.ts";

/** Events that wait, of one cluster: a thousand bad declarations are one story. */
const longest = 1000;
/** Declarations that are remembered of which nobody was told: about 2 MB. */
const mostUntold = 10_000;

interface Waiting {
  readonly event: KubeEvent;
  /** Nobody has been told of the problem yet. */
  readonly isFirst: boolean;
}

/**
 * Events of one cluster that wait to be sent.
 *
 * Guarantees: of one declaration only the newest waits, and nothing where a problem ended before anybody was told of it;
 * what waits is bounded, and of too much the oldest problem is dropped: the end of one that was told goes last, for that
 * stands in the cluster until somebody says that it is over.
 */
export class EventQueue {
  /** Declaration → its newest Event, the oldest first. */
  readonly #waiting = new Map<string, Waiting>();
  /** Declarations whose problem was dropped before anybody was told of it. */
  readonly #untold = new Set<string>();
  #dropped = 0;

  get size(): number {
    return this.#waiting.size;
  }

  /** The one that goes next. */
  first(): { readonly key: string; readonly event: KubeEvent } | undefined {
    const [next] = this.#waiting;
    return next && { key: next[0], event: next[1].event };
  }

  /** `isFirst`: nothing was offered of this problem before. */
  put(key: string, event: KubeEvent, isFirst: boolean): void {
    const waiting = this.#waiting.get(key);
    // In place of an end that has not been told yet it is not the first: what that was the end of has been told.
    const isUntold = waiting?.isFirst ?? (isFirst || this.#untold.has(key));
    this.#untold.delete(key);
    if (isUntold && isEnd(event)) return void this.#waiting.delete(key);
    const newest = { event, isFirst: isUntold };
    if (waiting === undefined && this.#waiting.size >= longest && !this.#makeRoom(event))
      return this.#drop(key, newest);
    this.#waiting.set(key, newest);
  }

  /** Somebody may be told of it from now on. */
  begin(key: string, event: KubeEvent): void {
    this.#waiting.set(key, { event, isFirst: false });
  }

  /** It was told, unless another has come in its place. */
  end(key: string, event: KubeEvent): void {
    if (this.#waiting.get(key)?.event === event) this.#waiting.delete(key);
  }

  clear(): void {
    this.#waiting.clear();
  }

  /** How many were dropped since this was asked last. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** False: only ends wait, and what comes is none. */
  #makeRoom(event: KubeEvent): boolean {
    for (const [key, waiting] of this.#waiting) {
      if (isEnd(waiting.event)) continue;
      this.#drop(key, waiting);
      return true;
    }
    const [oldest] = this.#waiting;
    if (oldest !== undefined && isEnd(event)) this.#drop(...oldest);
    return isEnd(event);
  }

  #drop(key: string, { isFirst }: Waiting): void {
    this.#waiting.delete(key);
    this.#dropped++;
    if (!isFirst) return;
    const [oldest] = this.#untold;
    if (this.#untold.size >= mostUntold && oldest !== undefined) this.#untold.delete(oldest);
    this.#untold.add(key);
  }
}

const isEnd = ({ type }: KubeEvent): boolean => type === "Normal";
