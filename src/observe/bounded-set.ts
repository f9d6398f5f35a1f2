/**
 * Things that are held for callers, each with its size, up to a sum. What was begun or used longest ago makes room for what
 * comes; the newest always has room.
 */
export class BoundedSet<T> {
  readonly #sizes = new Map<T, number>();
  readonly #limit: number;
  readonly #end: (each: T) => void;
  #sum = 0;

  /** `end` lets go of one that has been taken out. */
  constructor(limit: number, end: (each: T) => void) {
    this.#limit = limit;
    this.#end = end;
  }

  add(each: T, size = 1): void {
    this.delete(each);
    for (const oldest of this.#sizes.keys()) {
      if (this.#sum + size <= this.#limit) break;
      this.delete(oldest);
      this.#end(oldest);
    }
    this.#sizes.set(each, size);
    this.#sum += size;
  }

  delete(each: T): void {
    this.#sum -= this.#sizes.get(each) ?? 0;
    this.#sizes.delete(each);
  }
}
