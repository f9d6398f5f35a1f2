import {
  electionDue,
  electionStep,
  firstElectionState,
  jittered,
  mayWrite,
  type ElectionEffect,
  type ElectionInput,
  type ElectionState,
} from "../../src/lead/election-step.ts";
import type { Lease } from "../../src/lead/lease.ts";
import { lease, times } from "./leases.ts";

/** What a request to APISIX may take: as in the configuration's defaults. */
const writeTimeout = 5000;
/** An elector that may write does so, as in a burst. */
const writeEvery = 97;
const mostLatency = 400;

export interface Disturbance {
  readonly at: number;
  readonly who: number;
  readonly length: number;
  /**
   * `deaf`: requests do not arrive; `mute`: they are applied, answers do not arrive; `late`: they are given up and
   * applied up to 30 s later; `pause`: SIGSTOP; `crash`: SIGKILL; `stop`: SIGTERM; `delete`: somebody deletes the Lease.
   */
  readonly kind: "deaf" | "mute" | "late" | "pause" | "crash" | "stop" | "delete";
}

interface Elector {
  readonly name: string;
  /** Monotonic clocks have unknown origins. */
  readonly origin: number;
  state: ElectionState;
  line: "good" | "deaf" | "mute" | "late";
  pausedUntil: number;
  /** What came while it was paused. */
  readonly waiting: ElectionInput[];
  isGone: boolean;
  /** When the last request that it sent to APISIX is surely over. */
  writesUntil: number;
}

/** Electors over one Lease in virtual time, and a writer in each that writes whenever it may. */
export class LeaseWorld {
  now = 0;
  /** Two instances that could have changed APISIX at the same time. */
  readonly breaches: string[] = [];
  /** `name@time` of each first write of a leader. */
  readonly terms: string[] = [];
  readonly #random: () => number;
  readonly #restarts: boolean;
  readonly #electors: Elector[] = [];
  /** What comes next stands last. */
  readonly #queue: { readonly at: number; readonly run: () => void }[] = [];
  #lease: Lease | null = null;
  #version = 0;

  constructor(electors: number, random: () => number, { restarts = true } = {}) {
    this.#random = random;
    this.#restarts = restarts;
    for (let index = 0; index < electors; index++) this.#join(index);
  }

  disturb({ at, who, length, kind }: Disturbance): void {
    this.#at(at, () => {
      const elector = this.#electors.filter(({ isGone }) => !isGone).at(who);
      if (kind === "delete") this.#change(null);
      if (elector === undefined || kind === "delete") return;
      if (kind === "crash") return this.#leave(elector);
      if (kind === "stop") return this.#stop(elector);
      if (kind === "pause") return this.#pause(elector, length);
      elector.line = kind;
      this.#at(this.now + length, () => void (elector.line = "good"));
    });
  }

  run(until: number): void {
    for (;;) {
      const next = this.#queue.at(-1);
      if (next === undefined || next.at > until) break;
      this.#queue.pop();
      this.now = next.at;
      next.run();
    }
    this.now = until;
  }

  leaders(): string[] {
    return this.#electors.filter((each) => !each.isGone && this.#mayWrite(each)).map(({ name }) => name);
  }

  #at(at: number, run: () => void): void {
    let index = this.#queue.length;
    while (index > 0 && (this.#queue[index - 1]?.at ?? 0) <= at) index--;
    this.#queue.splice(index, 0, { at, run });
  }

  #join(index: number): void {
    const elector: Elector = {
      ...{ name: `${index}`, origin: this.#random() * 1e9, state: firstElectionState, line: "good" },
      ...{ pausedUntil: 0, waiting: [], isGone: false, writesUntil: Number.NEGATIVE_INFINITY },
    };
    this.#electors.push(elector);
    this.#poll(elector);
    this.#writeOn(elector);
  }

  /** In its place another one begins, that knows nothing. */
  #leave(elector: Elector): void {
    if (elector.isGone) return;
    elector.isGone = true;
    if (this.#restarts) this.#at(this.now + 3000 * this.#random(), () => this.#join(this.#electors.length));
  }

  #stop(elector: Elector): void {
    if (elector.pausedUntil > this.now) return;
    if (elector.state.at === "holding" && elector.line === "good") {
      // The writer has stopped: what was in flight has been answered.
      elector.writesUntil = this.now;
      if (this.#lease?.version === elector.state.lease?.version) this.#change("");
    }
    this.#leave(elector);
  }

  #pause(elector: Elector, length: number): void {
    elector.pausedUntil = Math.max(elector.pausedUntil, this.now + length);
    this.#at(elector.pausedUntil, () => {
      if (elector.pausedUntil > this.now || elector.isGone) return;
      // The worst order: first its writer, then what came meanwhile, and its timers last.
      this.#write(elector);
      for (const input of elector.waiting.splice(0)) this.#input(elector, input);
      this.#input(elector, { type: "tick" });
    });
  }

  #writeOn(elector: Elector): void {
    if (elector.isGone) return;
    if (elector.pausedUntil <= this.now) this.#write(elector);
    this.#at(this.now + writeEvery, () => this.#writeOn(elector));
  }

  #write(elector: Elector): void {
    if (!this.#mayWrite(elector)) return;
    if (this.terms.at(-1)?.split("@")[0] !== elector.name) this.terms.push(`${elector.name}@${this.now}`);
    elector.writesUntil = this.now + writeTimeout;
    for (const other of this.#electors)
      if (other !== elector && other.writesUntil > this.now)
        this.breaches.push(`${elector.name} writes at ${this.now}, ${other.name} until ${other.writesUntil}`);
  }

  #mayWrite({ state, origin }: Elector): boolean {
    return mayWrite(state, { now: this.now + origin, times }, writeTimeout);
  }

  /** What the watch of the product falls back to, and here also mends what it loses. */
  #poll(elector: Elector): void {
    if (elector.isGone || elector.state.at !== "observing") return;
    this.#look(elector);
    this.#at(this.now + jittered(times, this.#random()), () => this.#poll(elector));
  }

  /** `now`: on the clock of the elector. */
  #input(elector: Elector, input: ElectionInput, now = this.now + elector.origin): void {
    if (elector.isGone) return;
    if (elector.pausedUntil > this.now) {
      if (input.type !== "tick") elector.waiting.push(input);
      return;
    }
    const context = { now, random: this.#random(), identity: elector.name, times };
    const { state, effect } = electionStep(elector.state, input, context);
    elector.state = state;
    if (state.at === "lost") return this.#leave(elector);
    if (effect !== undefined) this.#act(elector, effect);
    const due = electionDue(elector.state, times) - elector.origin;
    if (due < Number.POSITIVE_INFINITY)
      this.#at(Math.max(due, this.now), () => {
        const then = electionDue(elector.state, times);
        // A timer never fires early: adding and taking away the origin rounds, and would let it, again and again.
        if (then - elector.origin <= this.now + 1e-6)
          this.#input(elector, { type: "tick" }, Math.max(then, this.now + elector.origin));
      });
  }

  #act(elector: Elector, effect: ElectionEffect): void {
    if (effect.type === "look") return this.#look(elector);
    const sentAt = this.now + elector.origin;
    const arrives = elector.line === "late" ? this.now + 30_000 * this.#random() : this.now + this.#latency();
    const isHeard = elector.line === "good";
    if (elector.line !== "deaf")
      this.#at(arrives, () => {
        const written = this.#apply(elector.name, effect.over);
        const answer: ElectionInput =
          written === undefined
            ? { type: "conflict" }
            : { type: "written", lease: written, sentAt, over: effect.over };
        if (isHeard) this.#at(this.now + this.#latency(), () => this.#input(elector, answer));
      });
    if (!isHeard)
      this.#at(this.now + times.retryPeriod, () => this.#input(elector, { type: "failed", sentAt }));
  }

  #apply(holder: string, over: Lease | null): Lease | undefined {
    if (this.#lease?.version !== over?.version) return undefined;
    return this.#change(holder) ?? undefined;
  }

  #change(holder: string | null): Lease | null {
    this.#version++;
    const duration = holder === "" ? 1000 : times.duration;
    this.#lease = holder === null ? null : lease(holder, String(this.#version), { duration });
    const changed = this.#lease;
    // The watch of those who can be reached, if it has not broken.
    for (const elector of this.#electors)
      if (elector.line === "good" && elector.state.at === "observing" && this.#random() < 0.8)
        this.#at(this.now + this.#latency(), () => {
          if (elector.state.at === "observing") this.#seenBy(elector, changed);
        });
    return changed;
  }

  #look(elector: Elector): void {
    const { line } = elector;
    const asked = elector.state.at;
    this.#at(this.now + this.#latency(), () => {
      const found = this.#lease;
      const back = this.now + (line === "good" ? this.#latency() : times.retryPeriod);
      const sentAt = this.now + elector.origin;
      this.#at(back, () => {
        // Whoever has become a holder hears its watch no more, but only its own looks.
        if (elector.state.at !== asked) return;
        if (line === "good") this.#seenBy(elector, found);
        else if (asked === "holding") this.#input(elector, { type: "failed", sentAt });
      });
    });
  }

  /** A watch tells in order; an answer that came to an older look is dropped with it. */
  #seenBy(elector: Elector, found: Lease | null): void {
    const known = elector.state.at === "observing" ? elector.state.known?.lease : undefined;
    if (known && found && Number(found.version) < Number(known.version)) return;
    this.#input(elector, { type: "seen", lease: found });
  }

  #latency(): number {
    return 1 + mostLatency * this.#random();
  }
}
