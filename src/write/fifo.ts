/** So many places at the front may be empty before the rest moves up. */
const slack = 1024;

/**
 * First in, first out, at the same price however many wait: `Array.shift` moves all that are left, once they are more than
 * some ten thousand.
 */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #first = 0;

  get size(): number {
    return this.#items.length - this.#first;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Takes out the first; undefined: there is none. */
  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#first];
    this.#items[this.#first++] = undefined;
    if (this.#first >= slack && this.#first >= this.size) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}
