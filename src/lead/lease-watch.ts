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
  readonly seen: (lease: Lease | null) => void;
  readonly failed: (error: TranslatorError) => void;
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
    const { clock, failed } = this.#parts;
    while (!signal.aborted) {
      const startedAt = clock.now();
      let ended = false;
      try {
        ended = await this.#once(signal);
      } catch (error) {
        if (!(error instanceof TranslatorError)) throw error;
        if (!signal.aborted) failed(error);
      }
      if (!ended || clock.now() - startedAt < shortWatch) await this.#pause(signal);
    }
  }

  /** False where there was nothing to watch. */
  async #once(signal: AbortSignal): Promise<boolean> {
    const { api, seen } = this.#parts;
    const tell = (lease: Lease | null): void => {
      if (!signal.aborted) seen(lease);
    };
    const lease = await api.read(signal);
    tell(lease);
    if (lease === null || signal.aborted) return false;
    await api.watch(lease.version, signal, tell);
    return true;
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
