import type { Clock } from "../runtime.ts";
import type { Kind } from "./events.ts";
import { FirstAttempt } from "./first-attempt.ts";

/** The first attempt of a cluster, of the kinds that it is watched for from the start together, of others by themselves. */
export class FirstAttempts {
  readonly #clock: Clock;
  readonly #ended: (kinds: readonly Kind[]) => void;
  readonly #first: FirstAttempt;
  /** Kinds of the first attempt that are neither synced nor degraded yet. */
  readonly #open: Set<Kind>;
  readonly #late = new Map<Kind, FirstAttempt>();

  /** `ended` is called whenever one is over, with its kinds, never from within the constructor. */
  constructor(clock: Clock, kinds: readonly Kind[], ended: (kinds: readonly Kind[]) => void) {
    this.#clock = clock;
    this.#ended = ended;
    this.#open = new Set(kinds);
    this.#first = new FirstAttempt(clock, () => ended(kinds));
  }

  get over(): boolean {
    return this.#first.over && [...this.#late.values()].every(({ over }) => over);
  }

  follow(kind: Kind): void {
    this.#late.set(kind, new FirstAttempt(this.#clock, () => this.#ended([kind])));
  }

  unfollow(kind: Kind): void {
    this.#late.get(kind)?.stop();
    this.#late.delete(kind);
    this.settled(kind);
  }

  /** The cluster gave a sign of life. */
  heard(): void {
    this.#first.heard();
    for (const late of this.#late.values()) late.heard();
  }

  /** The kind is synced, or has failed. */
  settled(kind: Kind): void {
    this.#late.get(kind)?.end();
    this.#open.delete(kind);
    this.begun();
  }

  /** A session has begun: where there is nothing to wait for, nothing is. */
  begun(): void {
    if (this.#open.size === 0) this.#first.end();
  }

  end(): void {
    this.#first.end();
    for (const late of this.#late.values()) late.end();
  }

  stop(): void {
    this.#first.stop();
    for (const late of this.#late.values()) late.stop();
  }
}
