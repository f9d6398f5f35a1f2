import type { Random } from "../../src/runtime.ts";

/** A stream of chance that follows from its seed alone. Streams of different labels do not disturb each other. */
export class SeededRandom {
  readonly #seed: number;
  /** A number in [0, 1); may be handed on without its object. */
  readonly next: Random;

  constructor(seed: number) {
    this.#seed = seed;
    let state = seed >>> 0;
    // mulberry32
    this.next = () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    };
  }

  fork(label: string): SeededRandom {
    let mixed = Math.imul(this.#seed ^ 0x9e3779b9, 0x85ebca6b);
    for (const character of label) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193);
    return new SeededRandom(Math.imul(mixed ^ (mixed >>> 16), 0xc2b2ae35));
  }

  /** A whole number in [0, below). */
  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws Error for an empty list. */
  pick<T>(list: readonly T[]): T {
    const picked = this.maybe(list);
    if (picked === undefined) throw new Error("nothing to pick from");
    return picked;
  }

  /** Undefined for an empty list. */
  maybe<T>(list: readonly T[]): T | undefined {
    return list[this.int(list.length)];
  }

  /** `count` different items, fewer where the list is shorter. */
  some<T>(list: readonly T[], count: number): T[] {
    const left = [...list];
    const taken: T[] = [];
    while (taken.length < count && left.length > 0) taken.push(...left.splice(this.int(left.length), 1));
    return taken;
  }
}
