import type { Cancel, Clock } from "./runtime.ts";
import type { StoreKey } from "./store/object-store.ts";

/** An endpoint that moves between slices is back within this many milliseconds, however short `throttle.quiet` is. */
const leastGrace = 50;

/**
 * Ends the time of what has vanished from EndpointSlices: it is gone if it has not come back within
 * max(`throttle.quiet`, 50 ms) (PRODUCT.md, "Which nodes").
 */
export class Vanishing {
  readonly #clock: Clock;
  readonly #grace: number;
  readonly #lapse: (key: StoreKey) => void;
  /** Of each cluster, what has vanished and not lapsed. */
  readonly #timers = new Map<string, Set<Cancel>>();

  constructor(clock: Clock, quiet: number, lapse: (key: StoreKey) => void) {
    this.#clock = clock;
    this.#grace = Math.max(quiet, leastGrace);
    this.#lapse = lapse;
  }

  note(key: StoreKey): void {
    this.#after(key.cluster, () => this.#lapse(key));
  }

  /** Runs once everything of the cluster that has vanished until now has lapsed: at once, where nothing has. */
  whenOver(cluster: string, run: () => void): void {
    if (this.#timers.has(cluster)) this.#after(cluster, run);
    else run();
  }

  stop(): void {
    for (const timers of this.#timers.values()) for (const cancel of timers) cancel();
    this.#timers.clear();
  }

  /** Timers of one length fire in their order. */
  #after(cluster: string, run: () => void): void {
    const timers = this.#timers.get(cluster) ?? new Set<Cancel>();
    this.#timers.set(cluster, timers);
    const cancel = this.#clock.after(this.#grace, () => {
      timers.delete(cancel);
      if (timers.size === 0) this.#timers.delete(cluster);
      run();
    });
    timers.add(cancel);
  }
}
