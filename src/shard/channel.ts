import type { Kept } from "../filter/kept.ts";
import type { Cancel, Clock } from "../runtime.ts";
import { inBytes, packedLength } from "./kept-bytes.ts";
import { Overtaken } from "./overtaken.ts";
import type { Known, ToShard } from "./protocol.ts";
import { keyOf } from "./quarantine.ts";
import { Tellings } from "./tellings.ts";

/** Bounds what a shard handles between two answers, so that a credit that overtakes data waits for few objects. */
const batchObjects = 256;
const batchBytes = 256 * 1024;
/** Enough to keep a shard busy while an answer travels; more would only age in the port's queue. */
const unackedBatches = 4;
/** What an entry weighs beside its projection and its names. */
const entryOverhead = 64;

export type InOrder = Extract<
  ToShard,
  { type: "cluster" | "configure" | "doubt" | "settle" | "unsettle" | "purge" }
>;
export type AtOnce = Extract<ToShard, { type: "want" | "kept" | "letGo" | "explain" }>;

/** Waits for its turn. */
type Section =
  | { readonly type: "data"; readonly entries: Map<string, Kept> }
  /** Costs no credit. */
  | { readonly type: "message"; readonly message: InOrder }
  /** An object that travels alone, with nothing else unanswered. */
  | { readonly type: "alone"; readonly entry: Kept }
  /** `message`, if any, then an empty batch: its answer says that all before it has been handled. */
  | { readonly type: "mark"; readonly message?: ToShard; readonly reached?: () => void };

interface Batch {
  readonly entries: readonly Kept[];
  readonly reached?: (() => void) | undefined;
  /** How many bodies may come with its answer. */
  readonly bodies?: number;
}

export interface ChannelParts {
  /** Requests that the writer could begin now. */
  readonly freeRequests?: () => number;
  /** What was posted in this turn is sent. */
  readonly flush?: () => void;
}

/** Waking a thread costs more than what it is told; what follows within this time brings it along. */
const toldWithin = 25;

/**
 * What goes to one shard in one epoch.
 *
 * Changes of objects coalesce by key while they wait: the newest goes, with the time of the oldest. At most 4 batches
 * are unanswered. Messages `inOrder` keep their place among the changes; what is told `atOnce`, `known` and `forget`
 * keep order among themselves and overtake changes, and what of a seed they make out of date.
 */
export class Channel {
  readonly #clock: Clock;
  readonly #post: (message: ToShard) => void;
  readonly #parts: ChannelParts;
  readonly #tellings: Tellings;
  readonly #overtaken = new Overtaken();
  readonly #sections: Section[] = [];
  readonly #batches = new Map<number, Batch>();
  #seq = 0;
  #waiting = 0;
  #flush: Cancel | undefined;
  #patience: Cancel | undefined;
  #closed = false;

  /** `post` sends a message to the shard now, and keeps nothing of it. */
  constructor(clock: Clock, post: (message: ToShard) => void, parts: ChannelParts = {}) {
    this.#clock = clock;
    this.#post = post;
    this.#parts = parts;
    this.#tellings = new Tellings(post, () => this.#sendBatch({ entries: [] }));
  }

  /** Changes of objects that have not been sent. */
  get waiting(): number {
    return this.#waiting;
  }

  get unacked(): number {
    return this.#batches.size;
  }

  /** Objects that were sent and not answered. */
  unanswered(): Kept[] {
    return [...this.#batches.values()].flatMap((batch) => batch.entries);
  }

  offer(kept: Kept): void {
    const last = this.#sections.at(-1);
    const entries = last?.type === "data" ? last.entries : new Map<string, Kept>();
    if (last?.type !== "data") this.#sections.push({ type: "data", entries });
    const key = keyOf(kept);
    const earlier = entries.get(key);
    if (earlier === undefined) this.#waiting++;
    entries.set(key, earlier !== undefined && earlier.at < kept.at ? { ...kept, at: earlier.at } : kept);
    this.#soon();
  }

  offerAlone(entry: Kept): void {
    this.#waiting++;
    this.#sections.push({ type: "alone", entry });
    this.#soon();
  }

  inOrder(message: InOrder): void {
    this.#sections.push({ type: "message", message });
    this.#soon();
  }

  /** Calls `reached` once the shard has handled everything before this, and `message` if there is one. */
  mark({ message, reached }: { message?: ToShard; reached?: () => void }): void {
    this.#overtaken.queued(message);
    this.#sections.push({
      type: "mark",
      ...(message === undefined ? {} : { message }),
      ...(reached === undefined ? {} : { reached }),
    });
    this.#soon();
  }

  atOnce(message: AtOnce): void {
    this.#tell();
    this.#post(message);
  }

  known(entry: Known): void {
    this.#overtaken.told(entry.id);
    this.#tellings.known(entry);
    this.#inTime();
  }

  forget(id: string): void {
    this.#overtaken.told(id);
    this.#tellings.forget(id);
    this.#inTime();
  }

  /** Whether such a batch was sent and not answered. */
  awaits(seq: number): boolean {
    return this.#batches.has(seq);
  }

  /** The shard has answered a batch. */
  done(seq: number): void {
    const batch = this.#batches.get(seq);
    this.#batches.delete(seq);
    batch?.reached?.();
    this.#advance();
  }

  /** Nothing is sent any more. */
  close(): void {
    this.#closed = true;
    this.#flush?.();
    this.#patience?.();
  }

  #soon(): void {
    if (this.#closed) return;
    this.#flush ??= this.#clock.soon(() => {
      this.#flush = undefined;
      this.#tell();
      this.#advance();
      this.#parts.flush?.();
    });
  }

  /** Nobody waits for what is only told: it goes with the next message, or after a while. */
  #inTime(): void {
    if (this.#closed) return;
    this.#patience ??= this.#clock.after(toldWithin, () => this.#tell());
  }

  #tell(): void {
    this.#patience?.();
    this.#patience = undefined;
    this.#tellings.flush();
  }

  /** What is known goes first: a `settle` that overtook it would judge a cluster as if nothing stood. */
  #advance(): void {
    if (this.#sections.length > 0) this.#tell();
    while (!this.#closed) {
      const section = this.#sections[0];
      if (section === undefined || !this.#send(section)) return;
      this.#sections.shift();
    }
  }

  /** Sends what credits allow; true once the whole section has been sent. */
  #send(section: Section): boolean {
    switch (section.type) {
      case "message":
        this.#post(section.message);
        return true;
      case "mark":
        if (this.#batches.size >= unackedBatches) return false;
        if (section.message !== undefined) this.#post(this.#overtaken.left(section.message));
        this.#sendBatch({ entries: [], reached: section.reached });
        return true;
      case "alone":
        if (this.#batches.size > 0) return false;
        this.#waiting--;
        this.#sendBatch({ entries: [section.entry] });
        return true;
      case "data":
        while (section.entries.size > 0 && this.#batches.size < unackedBatches) {
          this.#sendBatch({ entries: this.#take(section.entries) });
        }
        return section.entries.size === 0;
    }
  }

  #sendBatch(batch: Batch): void {
    const seq = ++this.#seq;
    const bodies = Math.min(batch.entries.length, this.#freeBodies());
    this.#batches.set(seq, { ...batch, bodies });
    const message = { type: "batch", seq, entries: inBytes(batch.entries) } as const;
    this.#post(bodies === 0 ? message : { ...message, bodies });
  }

  /** Free requests for which no body may be on its way yet. */
  #freeBodies(): number {
    let free = this.#parts.freeRequests?.() ?? 0;
    for (const { bodies = 0 } of this.#batches.values()) free -= bodies;
    return Math.max(0, free);
  }

  /** The oldest entries, as many as fit into a batch, at least one. */
  #take(entries: Map<string, Kept>): Kept[] {
    const taken: Kept[] = [];
    let bytes = 0;
    for (const [key, entry] of entries) {
      const size = entryOverhead + key.length + packedLength(entry);
      if (taken.length > 0 && (taken.length >= batchObjects || bytes + size > batchBytes)) break;
      bytes += size;
      taken.push(entry);
      entries.delete(key);
    }
    this.#waiting -= taken.length;
    return taken;
  }
}
