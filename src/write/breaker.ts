import type { Cancel, Clock, Random } from "../runtime.ts";

export type GatewayState = "unknown" | "up" | "down";

/** Trouble in a row after which APISIX counts as down. One request's timeout says little; three at once say enough. */
const tolerated = 3;
const firstPause = 500;
const longestPause = 15_000;

export interface BreakerActions {
  /** Nothing more is to be sent. */
  opened(reason: string): void;
  /** Requests may be sent again. */
  closed(): void;
  /** One harmless request; true when APISIX answered as APISIX does. */
  probe(): Promise<boolean>;
}

/**
 * Opens when the Admin API fails several times in a row, and closes when a probe is answered. Probes follow each other
 * at growing intervals with jitter.
 */
export class Breaker {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #actions: BreakerActions;
  #failures = 0;
  #pause = firstPause;
  /** `Clock.now()` until which APISIX has asked to be left alone. */
  #notBefore = Number.NEGATIVE_INFINITY;
  #state: GatewayState = "unknown";
  #lastTrouble = Number.NEGATIVE_INFINITY;
  #timer: Cancel | undefined;
  #stopped = false;

  constructor(clock: Clock, random: Random, actions: BreakerActions) {
    this.#clock = clock;
    this.#random = random;
    this.#actions = actions;
  }

  get state(): GatewayState {
    return this.#state;
  }

  /** `Clock.now()` of the last answer that was not normal. */
  get lastTrouble(): number {
    return this.#lastTrouble;
  }

  succeeded(): void {
    this.#failures = 0;
    if (this.#state === "down") return;
    this.#state = "up";
  }

  /** APISIX answered, though not well. `isTrouble`: nobody knows what it did. */
  answered(isTrouble: boolean): void {
    if (isTrouble) this.#lastTrouble = this.#clock.now();
    this.succeeded();
  }

  /** `retryAfter`: milliseconds for which APISIX, or who stands before it, asks to be left alone. */
  failed(reason: string, retryAfter = 0): void {
    this.#lastTrouble = this.#clock.now();
    this.#notBefore = Math.max(this.#notBefore, this.#clock.now() + retryAfter);
    this.#failures++;
    if (this.#failures < tolerated || this.#state === "down") return;
    this.#state = "down";
    this.#pause = firstPause;
    this.#actions.opened(reason);
    this.#scheduleProbe();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
  }

  #scheduleProbe(): void {
    const wait = Math.max(this.#pause * (0.5 + this.#random() / 2), this.#notBefore - this.#clock.now());
    this.#pause = Math.min(this.#pause * 2, longestPause);
    this.#timer = this.#clock.after(wait, () => void this.#probe());
  }

  async #probe(): Promise<void> {
    const answered = await this.#actions.probe();
    if (this.#stopped) return;
    if (!answered) {
      this.#lastTrouble = this.#clock.now();
      return this.#scheduleProbe();
    }
    this.#state = "up";
    this.#failures = 0;
    this.#actions.closed();
  }
}
