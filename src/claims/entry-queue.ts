import { compareBytewise } from "../declare/byte-order.ts";
import { compareClaims } from "./age.ts";
import type { Entry, Word } from "./entry.ts";

/** Where an entry stands in the heap; out of date once it has another word, or is not queued any more. */
interface Place {
  readonly entry: Entry;
  readonly word: Word;
}

/** So many places may be out of date before they are swept. */
const slack = 64;

/**
 * Candidates in their order: routes that leave come first, then claims as they are served. Adding costs its share of the
 * sorting, so that no turn of the event loop has to sort a whole fleet.
 */
export class EntryQueue {
  readonly #members = new Set<Entry>();
  #heap: Place[] = [];

  get size(): number {
    return this.#members.size;
  }

  has(entry: Entry): boolean {
    return this.#members.has(entry);
  }

  /** Its word must not change while it is queued. */
  add(entry: Entry): void {
    if (this.#members.has(entry)) return;
    this.#members.add(entry);
    this.#push({ entry, word: entry.word });
    if (this.#heap.length > 2 * this.#members.size + slack) this.#sweep();
  }

  delete(entry: Entry): boolean {
    return this.#members.delete(entry);
  }

  /** The first in order, which stays. */
  first(): Entry | undefined {
    for (let place = this.#heap[0]; place !== undefined; place = this.#heap[0]) {
      const { entry, word } = place;
      if (this.#members.has(entry) && word === entry.word) return entry;
      this.#pop();
    }
    return undefined;
  }

  /** Takes out the first in order. */
  shift(): Entry | undefined {
    const entry = this.first();
    if (entry === undefined) return undefined;
    this.#pop();
    this.#members.delete(entry);
    return entry;
  }

  /** In no order. */
  [Symbol.iterator](): Iterator<Entry> {
    return this.#members.values();
  }

  #push(place: Place): void {
    const heap = this.#heap;
    let at = heap.length;
    for (let up = (at - 1) >> 1; at > 0; up = (at - 1) >> 1) {
      const parent = heap[up];
      if (parent === undefined || comparePlaces(parent, place) <= 0) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = place;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      let child = heap[down];
      if (child === undefined) break;
      const right = heap[down + 1];
      if (right !== undefined && comparePlaces(right, child) < 0) {
        child = right;
        down += 1;
      }
      if (comparePlaces(last, child) <= 0) break;
      heap[at] = child;
      at = down;
    }
    heap[at] = last;
  }

  #sweep(): void {
    this.#heap = [];
    for (const entry of this.#members) this.#push({ entry, word: entry.word });
  }
}

function comparePlaces(a: Place, b: Place): number {
  return compareWords(a.word, b.word) || compareBytewise(a.entry.id, b.entry.id);
}

/** The order in which candidates are judged. */
export function compareEntries(a: Entry, b: Entry): number {
  return compareWords(a.word, b.word) || compareBytewise(a.id, b.id);
}

function compareWords(a: Word, b: Word): number {
  if (a.type === "want" && b.type === "want") return compareClaims(a.claim, b.claim);
  return Number(a.type === "want") - Number(b.type === "want");
}
