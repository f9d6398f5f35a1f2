import { TranslatorError } from "../errors.ts";
import type { Cancel, Clock } from "../runtime.ts";
import { listRuns, overdueRuns, probedFrom, type Input, type ReflectorState } from "./reflector-state.ts";
import { Watchdog } from "./watchdog.ts";

const overdueAfter = 30_000;
const silentAfter = 30_000;
/** Continue tokens live 5 minutes, until the revision under them is compacted. */
const listWithin = 300_000;
const probeEvery = 20_000;

export interface ReflectorTimersOptions {
  readonly clock: Clock;
  readonly input: (input: Input) => void;
  /** The store's resourceVersion now. */
  readonly probe: (signal: AbortSignal) => Promise<string>;
  readonly onFault: (error: unknown) => void;
}

/** The clocks beside a reflector's requests: which of them run follows from the state alone. */
export class ReflectorTimers {
  readonly #options: ReflectorTimersOptions;
  #wait: Cancel | undefined;
  #overdue: Cancel | undefined;
  #listLimit: Cancel | undefined;
  #silence: Watchdog | undefined;
  #nextProbe: Cancel | undefined;
  #probe: AbortController | undefined;
  #probedFrom: string | undefined;

  constructor(options: ReflectorTimersOptions) {
    this.#options = options;
  }

  /** Starts and stops what the new state asks for. */
  follow(state: ReflectorState): void {
    this.#followOverdue(overdueRuns(state));
    this.#followList(listRuns(state));
    this.#followSilence(state.phase.at === "initial");
    const { failures, cause } = state.course;
    // Who is too busy is not asked for more.
    this.#followProbe(probedFrom(state), failures > 0 && cause?.status !== 429);
    if (state.phase.at !== "wait") this.#wait?.();
  }

  wait(ms: number): void {
    this.#wait?.();
    this.#wait = this.#options.clock.after(ms, () => this.#options.input({ type: "waited" }));
  }

  /** A list is complete: the time for opening the watch starts now. */
  synced(): void {
    this.#followOverdue(false);
  }

  /** The stream brought a frame. */
  framed(): void {
    this.#silence?.touch();
  }

  #followOverdue(runs: boolean): void {
    if (!runs) {
      this.#overdue?.();
      this.#overdue = undefined;
    } else {
      this.#overdue ??= this.#options.clock.after(overdueAfter, () => {
        this.#overdue = undefined;
        this.#options.input({ type: "overdue" });
      });
    }
  }

  #followList(runs: boolean): void {
    if (!runs) {
      this.#listLimit?.();
      this.#listLimit = undefined;
    } else {
      this.#listLimit ??= this.#options.clock.after(listWithin, () => {
        this.#listLimit = undefined;
        this.#options.input({ type: "tooLong" });
      });
    }
  }

  #followSilence(runs: boolean): void {
    if (!runs) {
      this.#silence?.stop();
      this.#silence = undefined;
    } else {
      this.#silence ??= new Watchdog(this.#options.clock, silentAfter, () => {
        this.#silence = undefined;
        this.#options.input({ type: "silent" });
      });
    }
  }

  /**
   * `atOnce`: a watch is resumed after a failure. What broke it may have taken the store back, and a store that went back
   * tells by its resourceVersion only until that has caught up.
   */
  #followProbe(from: string | undefined, atOnce: boolean): void {
    const begins = this.#probedFrom === undefined && from !== undefined;
    this.#probedFrom = from;
    if (begins && atOnce) this.#sendProbe();
    if (from === undefined) {
      this.#nextProbe?.();
      this.#nextProbe = undefined;
      this.#probe?.abort();
      this.#probe = undefined;
    } else {
      this.#nextProbe ??= this.#options.clock.after(probeEvery, () => this.#sendProbe());
    }
  }

  #sendProbe(): void {
    const { clock, input, probe } = this.#options;
    const asOf = this.#probedFrom;
    if (asOf === undefined) return;
    this.#nextProbe = clock.after(probeEvery, () => this.#sendProbe());
    const own = new AbortController();
    this.#probe = own;
    probe(own.signal).then(
      (resourceVersion) => {
        if (!own.signal.aborted) input({ type: "probed", resourceVersion, asOf });
      },
      (error: unknown) => {
        if (!own.signal.aborted) input({ type: "probeFailed", error: this.#asTranslatorError(error) });
      },
    );
  }

  #asTranslatorError(error: unknown): TranslatorError {
    if (error instanceof TranslatorError) return error;
    this.#options.onFault(error);
    return new TranslatorError("KUBE_PROTOCOL", "an internal error while probing", { cause: error });
  }
}
