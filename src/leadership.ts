import type { Election, ElectionParts } from "./lead/election.ts";
import type { Fence } from "./lead/fenced-transport.ts";
import type { Clock } from "./runtime.ts";
import { within } from "./within.ts";

/** What is cut off is not waited for longer than this, in milliseconds. */
export const abandonWithin = 2000;

/** The time in which an instance leads. */
export interface LeadTerm {
  start(): void;
  /** What is in flight ends; nothing more is sent. */
  stop(): Promise<void>;
  /** Nothing more is sent, and what is in flight is cut off. */
  abandon(): Promise<void>;
}

export type ElectionActions = Pick<ElectionParts, "elected" | "lost">;

export interface LeadershipParts<T extends LeadTerm> {
  readonly clock: Clock;
  /** Milliseconds that an orderly end may take; then the rest is cut off. */
  readonly drainLimit: number;
  /** Undefined: it leads from the start. */
  readonly election: ((actions: ElectionActions) => Election) | undefined;
  /** Every write of the term has to pass the fence. */
  readonly newTerm: (fence: Fence | undefined) => T;
  /** A term has been made, and is about to start. */
  readonly leads: (term: T) => void;
  /** It led, and does not any more: it must end. */
  readonly lost: () => void;
}

/**
 * Leads from the start; or, with an election, stands by, holding nothing, until it is elected. It never stands by again:
 * who has lost ends, and the next start is a standby.
 */
export class Leadership<T extends LeadTerm> {
  readonly election: Election | undefined;
  readonly #parts: LeadershipParts<T>;
  #term: T | undefined;
  #isStopping = false;
  #isLost = false;

  constructor(parts: LeadershipParts<T>) {
    this.#parts = parts;
    this.election = parts.election?.({
      elected: () => this.#lead(),
      lost: () => {
        this.#isLost = true;
        parts.lost();
      },
    });
    if (this.election === undefined) this.#term = parts.newTerm(undefined);
  }

  /** Undefined while it stands by. */
  get term(): T | undefined {
    return this.#term;
  }

  /** It led, or was about to, and does not. */
  get isLost(): boolean {
    return this.#isLost;
  }

  start(): void {
    this.election?.start();
    this.#term?.start();
  }

  /** What is in flight ends, then the Lease is released. */
  async stop(): Promise<void> {
    const { clock, drainLimit } = this.#parts;
    this.#isStopping = true;
    const isDrained = await within(clock, drainLimit, this.#term?.stop());
    // Only a writer that has stopped may let another one begin.
    if (isDrained) await this.election?.end();
    else await this.#cutOff();
  }

  /** Another instance may lead already: nothing more is sent, nothing is waited for. */
  async abandon(): Promise<void> {
    this.#isStopping = true;
    await this.#cutOff();
  }

  async #cutOff(): Promise<void> {
    const ends = [this.#term?.abandon(), this.election?.abandon()];
    await within(this.#parts.clock, abandonWithin, Promise.all(ends));
  }

  #lead(): void {
    if (this.#isStopping || this.election === undefined) return;
    this.#term = this.#parts.newTerm(this.election);
    this.#parts.leads(this.#term);
    this.#term.start();
  }
}
