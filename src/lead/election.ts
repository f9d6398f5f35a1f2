import { TranslatorError } from "../errors.ts";
import type { Cancel, Clock, Log, Random } from "../runtime.ts";
import {
  electionDue,
  electionStep,
  firstElectionState,
  mayWrite,
  type ElectionEffect,
  type ElectionInput,
  type ElectionState,
  type ElectionTimes,
} from "./election-step.ts";
import { ElectionLog } from "./election-log.ts";
import type { LeaseApi } from "./lease-api.ts";
import { LeaseWatch } from "./lease-watch.ts";
import type { Lease, LeaseClaim } from "./lease.ts";

/** A release that meets an unknown version reads the Lease once and tries again. */
const releaseTries = 2;

export interface ElectionParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly api: LeaseApi;
  readonly times: ElectionTimes;
  /** Who we are: unique to this process, also over restarts. */
  readonly identity: string;
  /** Where our `observe.listen` is found. */
  readonly address: () => string;
  /** From now on this instance leads. */
  readonly elected: () => void;
  /** It does not any more; called once, and for good. */
  readonly lost: (reason: string) => void;
  readonly fault: (error: unknown) => void;
}

/**
 * Takes part in the election of one leader by a Lease, as client-go does.
 *
 * Guarantees: between `elected` and `lost`, `mayWrite` is true only while no other instance can hold the Lease,
 * whatever wall clocks do and however long this process is stopped; requests are one at a time and never wait for
 * anything but their own connection. Assumes that monotonic clocks run at the same speed everywhere.
 */
export class Election {
  readonly #parts: ElectionParts;
  readonly #watch: LeaseWatch;
  readonly #calledOff = new AbortController();
  #state: ElectionState = firstElectionState;
  /** What is under way, to its end. */
  #request: Promise<void> = Promise.resolve();
  #timer: Cancel | undefined;
  readonly #log: ElectionLog;
  #leader: string | undefined;
  #hasStoodBy = false;
  #isEnding = false;

  constructor(parts: ElectionParts) {
    this.#parts = parts;
    const { clock, random, log, api, times, fault } = parts;
    this.#log = new ElectionLog(log);
    this.#watch = new LeaseWatch({
      ...{ clock, random, api, times, fault },
      seen: (lease, by) => {
        this.#log.answered(by);
        this.#input({ type: "seen", lease });
      },
      failed: (error, by) => this.#log.failed(error, by, !this.#isEnding),
    });
  }

  /** Begins to stand by. */
  start(): void {
    this.#watch.refresh();
  }

  get leads(): boolean {
    return this.#state.at === "holding";
  }

  /** Another instance has been seen to lead, and this one waits for it to end. */
  get standsBy(): boolean {
    return this.#state.at === "observing" && this.#hasStoodBy;
  }

  /** Where the leader is found; undefined: unknown, nobody, or it is this instance. */
  get leader(): string | undefined {
    return this.#state.at === "observing" ? this.#leader : undefined;
  }

  /** Why the Lease could not be read or written last; undefined: it could. */
  get problem(): string | undefined {
    return this.#log.problem;
  }

  /** Whether a request that takes at most `timeout` milliseconds may still be sent to APISIX. */
  mayWrite(timeout: number): boolean {
    const { clock, times } = this.#parts;
    return mayWrite(this.#state, { now: clock.now(), times }, timeout);
  }

  /** Leadership counts as lost: a write came too late. */
  forfeit(reason: string): void {
    this.#input({ type: "forfeit", reason });
  }

  /**
   * Stops taking part; the Lease, if held, is released, so that the next one need not wait. Only after the writer has
   * stopped: from here on others lead.
   */
  async end(): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#timer?.();
    this.#watch.stop();
    await this.#request;
    if (this.#state.at === "holding") await this.#release(this.#state.lease);
    this.#calledOff.abort();
    await this.#parts.api.close();
  }

  /** Ends at once, and leaves the Lease as it is. */
  async abandon(): Promise<void> {
    this.#isEnding = true;
    this.#timer?.();
    this.#watch.stop();
    this.#calledOff.abort();
    await this.#parts.api.close();
  }

  #input(input: ElectionInput): void {
    const { clock, random, identity, times } = this.#parts;
    const before = this.#state;
    const context = { now: clock.now(), random: random(), identity, times };
    const { state, effect } = electionStep(before, input, context);
    this.#state = state;
    if (input.type === "seen" && state.at === "observing") this.#remember(input.lease);
    if (this.#isEnding) return;
    if (effect !== undefined) this.#act(effect);
    this.#awaitTick();
    if (state.at !== before.at) this.#tell(state);
  }

  #remember(lease: Lease | null): void {
    const isHeld = lease !== null && lease.holder !== "" && lease.holder !== this.#parts.identity;
    this.#leader = isHeld ? lease.address : undefined;
    this.#hasStoodBy ||= isHeld;
    if (isHeld) this.#log.standsBy(lease);
    else if (lease?.holder !== this.#parts.identity) this.#log.free();
  }

  #awaitTick(): void {
    const { clock, times } = this.#parts;
    this.#timer?.();
    this.#timer = undefined;
    const due = electionDue(this.#state, times);
    if (due === Number.POSITIVE_INFINITY) return;
    this.#timer = clock.after(Math.max(0, due - clock.now()), () => this.#input({ type: "tick" }));
  }

  #tell(state: ElectionState): void {
    const { identity, elected, lost } = this.#parts;
    this.#watch.stop();
    if (state.at === "holding") {
      this.#log.leads(identity);
      elected();
    } else if (state.at === "lost") {
      this.#log.lost(state.reason);
      lost(state.reason);
    }
  }

  #act(effect: ElectionEffect): void {
    if (effect.type === "look" && this.#state.at === "observing") return this.#watch.refresh();
    const sentAt = this.#parts.clock.now();
    const outcome = effect.type === "look" ? this.#look() : this.#claim(effect.over, sentAt);
    this.#request = outcome
      .catch((error: unknown): ElectionInput => {
        if (!(error instanceof TranslatorError)) throw error;
        this.#log.failed(error, effect.type === "look" ? "read" : "write", !this.#isEnding);
        return { type: "failed", sentAt };
      })
      .then((input) => this.#input(input))
      .catch(this.#parts.fault);
  }

  async #look(): Promise<ElectionInput> {
    const lease = await this.#parts.api.read(this.#calledOff.signal);
    this.#log.answered("read");
    return { type: "seen", lease };
  }

  async #claim(over: Lease | null, sentAt: number): Promise<ElectionInput> {
    const { api, identity, address, times } = this.#parts;
    const claim: LeaseClaim = { holder: identity, duration: times.duration, address: address() };
    const written = await api.claim(claim, over, this.#calledOff.signal);
    this.#log.answered("write");
    return written.type === "written" ? { ...written, sentAt, over } : written;
  }

  async #release(held: Lease | null): Promise<void> {
    const { api, identity } = this.#parts;
    const { signal } = this.#calledOff;
    try {
      let lease = held;
      for (let tries = 0; lease !== null && lease.holder === identity && tries < releaseTries; tries++) {
        if ((await api.release(lease, signal)).type === "written") return this.#log.released();
        lease = await api.read(signal);
      }
    } catch (error) {
      if (!(error instanceof TranslatorError)) throw error;
      this.#log.notReleased(error);
    }
  }
}
