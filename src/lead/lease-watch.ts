import { TranslatorError } from "../errors.ts";
import type { Clock, Random } from "../runtime.ts";
import type { LeaseApi } from "./lease-api.ts";
import type { Lease } from "./lease.ts";
import { jittered, type ElectionTimes } from "./election-step.ts";

/** A watch that ends sooner than this, in milliseconds, is not opened again at once. */
const shortWatch = 1000;

export interface LeaseWatchParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly api: LeaseApi;
  readonly times: ElectionTimes;
  readonly seen: (lease: Lease | null, by: "read" | "watch") => void;
  readonly failed: (error: TranslatorError, by: "read" | "watch") => void;
  /** What is thrown and no `TranslatorError`: a bug. */
  readonly fault: (error: unknown) => void;
}

/**
 * What a standby knows of the Lease: reads it, then watches it, so that a release is seen at once. Where it cannot be
 * watched it is read once in every one to 2.2 retry periods.
 */
export class LeaseWatch {
  readonly #parts: LeaseWatchParts;
  #current = new AbortController();

  constructor(parts: LeaseWatchParts) {
    this.#parts = parts;
  }

  /** Reads the Lease now, and watches it anew from there. */
  refresh(): void {
    this.stop();
    this.#current = new AbortController();
    this.#follow(this.#current.signal).catch(this.#parts.fault);
  }

  stop(): void {
    this.#current.abort();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { clock, api, seen } = this.#parts;
    while (!signal.aborted) {
      const startedAt = clock.now();
      const lease = await this.#tried("read", signal, () => api.read(signal));
      if (lease !== undefined && !signal.aborted) seen(lease, "read");
      let hasWatched = false;
      if (lease && !signal.aborted)
        hasWatched = (await this.#tried("watch", signal, () => this.#watch(lease.version, signal))) ?? false;
      if (!hasWatched || clock.now() - startedAt < shortWatch) await this.#pause(signal);
    }
  }

  async #watch(version: string, signal: AbortSignal): Promise<true> {
    const { api, seen } = this.#parts;
    try {
      await api.watch(version, signal, (lease) => {
        if (!signal.aborted) seen(lease, "watch");
      });
    } catch (error) {
      // The server has forgotten this version: a watch that has ended, and no fault of anybody's.
      if (!(error instanceof TranslatorError && error.status === 410)) throw error;
    }
    return true;
  }

  /** Undefined where it failed. */
  async #tried<T>(
    what: "read" | "watch",
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TranslatorError)) throw error;
      if (!signal.aborted) this.#parts.failed(error, what);
      return undefined;
    }
  }

  #pause(signal: AbortSignal): Promise<void> {
    const { clock, random, times } = this.#parts;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const cancel = clock.after(jittered(times, random()), () => {
        signal.removeEventListener("abort", end);
        resolve();
      });
      const end = (): void => {
        cancel();
        resolve();
      };
      signal.addEventListener("abort", end, { once: true });
    });
  }
}
