import type { Pair } from "../declare/pair.ts";
import type { Burst } from "./burst.ts";
import { isActionable } from "./burst.ts";
import { EntryQueue } from "./entry-queue.ts";
import { hasSay, mayStand, newEntry, wants, yieldsTo } from "./entry.ts";
import type { Entry, Word } from "./entry.ts";
import type { Occupancy } from "./occupancy.ts";
import type { Waiting } from "./waiting.ts";

/** Where a candidate goes: into the burst that goes on, or into the next. */
export type Turn = "burst" | "next";

/** Iterates over who waits at a pair while they stop waiting, which a Set allows. */
interface Waking {
  readonly entries: Iterator<Entry>;
  turn: Turn;
  readonly isConcerned: (entry: Entry) => boolean;
}

/**
 * Every id that is known, and which of them the next burst has to judge. Each change of an id comes down to three
 * steps: `withdraw` it, change it, `settle` it; settling judges anew whoever the change may have made room for.
 */
export class Candidates {
  next = new EntryQueue();
  readonly #entries = new Map<string, Entry>();
  readonly #occupancy: Occupancy;
  readonly #waiting: Waiting;
  readonly #burst: Burst;
  readonly #portion: number;
  /** Of pairs at which very many wait: who is still to be judged again. */
  readonly #wakings: Waking[] = [];

  /** `portion`: where more wait at a pair, they are not made candidates in one go. */
  constructor(occupancy: Occupancy, waiting: Waiting, burst: Burst, portion: number) {
    this.#portion = portion;
    this.#occupancy = occupancy;
    this.#waiting = waiting;
    this.#burst = burst;
  }

  get size(): number {
    return this.#entries.size;
  }

  find(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  findOrAdd(id: string): Entry {
    const found = this.#entries.get(id);
    if (found !== undefined) return found;
    const entry = newEntry(id);
    this.#entries.set(id, entry);
    return entry;
  }

  /** A new word, which ends the wait for one. */
  say(entry: Entry, word: Word, dirty: boolean): void {
    const turn = this.withdraw(entry);
    entry.word = word;
    entry.dirty = dirty;
    entry.waitsForWord = "no";
    this.settle(entry, entry.standing, turn, "next");
  }

  /** Takes `entry` out of every queue, with what it reserved; returns the burst in which it had its turn. */
  withdraw(entry: Entry): Turn {
    this.#waiting.remove(entry);
    this.next.delete(entry);
    const wasDue = this.#burst.due.delete(entry);
    if (!this.#burst.awaiting.delete(entry)) return wasDue ? "burst" : "next";
    if (entry.word.type === "want") this.promote(entry.word.claim.pairs, "burst");
    return "burst";
  }

  /**
   * `entry` stands on `standing` now. It is a candidate of `turn` if it needs anything, and those for whom it made room
   * are candidates of `othersTurn`.
   */
  settle(entry: Entry, standing: readonly Pair[], turn: Turn, othersTurn: Turn): void {
    const held = entry.standing;
    const left = this.#occupancy.place(entry, standing);
    // What somebody has taken over stands there still: whoever takes such a pair looks first.
    if (othersTurn === "burst" && standing !== held && !this.#occupancy.isStrangers(entry.id))
      for (const pair of held) if (!this.#occupancy.standsOn(entry, pair)) this.#burst.released.add(pair);
    this.promote(left, othersTurn);
    this.#makeWay(entry, othersTurn);
    if (isForgettable(entry)) this.#entries.delete(entry.id);
    else this.enqueue(entry, turn);
  }

  /** Makes it a candidate, if there is anything to decide about it. */
  enqueue(entry: Entry, turn: Turn): void {
    if (!isActionable(entry, this.#occupancy)) return;
    this.#waiting.remove(entry);
    if (turn === "next" && !this.#burst.due.has(entry)) {
      this.next.add(entry);
      return;
    }
    this.next.delete(entry);
    this.#burst.due.add(entry);
  }

  /** Whoever waits for one of `pairs` is judged again. */
  promote(pairs: Iterable<Pair>, turn: Turn): void {
    for (const pair of pairs) this.#wake(pair, turn, () => true);
  }

  /** Somebody is still to be judged again, and `wakeSome` has to be called. */
  get isWaking(): boolean {
    return this.#wakings.length > 0;
  }

  /** A burst starts: who was to be judged in the next one is judged in this. */
  beginBurst(): void {
    for (const waking of this.#wakings) waking.turn = "burst";
  }

  /** A portion of those who are still to be judged again; before all are, nobody is judged. */
  wakeSome(): void {
    for (let woken = 0; woken < this.#portion; woken++) {
      const [waking] = this.#wakings;
      if (waking === undefined) return;
      const { entries, turn, isConcerned } = waking;
      const next = entries.next();
      if (next.done === true) this.#wakings.shift();
      else if (isConcerned(next.value)) this.enqueue(next.value, turn);
    }
  }

  #wake(pair: Pair, turn: Turn, isConcerned: (entry: Entry) => boolean): void {
    const entries = this.#waiting.at(pair);
    if (this.#waiting.count(pair) > this.#portion)
      this.#wakings.push({ entries: entries[Symbol.iterator](), turn, isConcerned });
    else for (const entry of [...entries]) if (isConcerned(entry)) this.enqueue(entry, turn);
  }

  /** Those whose case has changed with the word of `entry`: it may yield now, or have more right to a pair. */
  #makeWay(entry: Entry, turn: Turn): void {
    if (!hasSay(entry)) return;
    for (const pair of entry.standing) {
      if (!wants(entry, pair)) this.#yield(entry, pair, turn);
      for (const other of this.#occupancy.others(entry, pair)) this.enqueue(other, turn);
    }
  }

  /** Those who may have `pair` from `entry` are judged again; strangers wait on while its grace lasts. */
  #yield(entry: Entry, pair: Pair, turn: Turn): void {
    this.#wake(pair, turn, ({ word }) => word.type === "want" && yieldsTo(entry, pair, word.claim));
  }
}

/** Nothing is said of it and nothing of it stands. */
function isForgettable(entry: Entry): boolean {
  return entry.word.type !== "want" && !entry.blocked && !mayStand(entry);
}
