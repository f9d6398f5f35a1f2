import type { Identity } from "../apisix/types.ts";
import { compareBytewise } from "../declare/byte-order.ts";
import type { Age, Change } from "../shard/change.ts";
import { compareAge } from "./age.ts";
import { anew, forbiddenWord } from "./limited-word.ts";

/** One group that takes up a place in its namespace. */
interface Entry {
  readonly id: string;
  readonly identity: Identity;
  place: Place;
  /** Its shard's last word; undefined: none yet, but something of it stands. */
  change: Change | undefined;
  age: Age | undefined;
  limited: boolean;
  /** False while its shard is started again: what it said counts no more, but its place is kept. */
  heard: boolean;
}

/** A namespace of one cluster. */
interface Place {
  readonly key: string;
  readonly entries: Set<Entry>;
  limited: number;
}

/** A group as the writer knows it. */
export interface LimitedGroup {
  readonly id: string;
  readonly identity: Identity;
  readonly change: Change | undefined;
}

/**
 * `policy.maxRoutesPerNamespace`: between the shards' words and whoever acts on them. Of a namespace of a cluster with too
 * many groups the youngest are Forbidden, as if their shards had said so; when there is room again, their words are
 * handed on as they were. Main thread, because the groups of one namespace are spread over shards.
 *
 * - A group takes up a place while it is declared and may be routed, and until it has left APISIX when its object goes.
 * - What stands in APISIX goes before what does not, then the older before the younger: so that a limit takes a route
 *   away only when it is lowered, and the same after every restart. What is frozen or not known yet keeps its place.
 * - A group across clusters takes up a place in the cluster of its oldest member, which sets its spec.
 *
 * With limit 0 nothing is remembered. Else a word costs one look-up, unless a group comes, goes or changes age in a
 * namespace with too many: then that namespace is sorted, once for all words that came together.
 */
export class RouteLimit {
  #limit: number;
  /** Whether something of it stands in APISIX, may, or is being written. */
  readonly #stands: (id: string) => boolean;
  readonly #entries = new Map<string, Entry>();
  readonly #places = new Map<string, Place>();

  constructor(limit: number, stands: (id: string) => boolean) {
    this.#limit = limit;
    this.#stands = stands;
  }

  /** Words of shards; returns those to act on: the same, with some forbidden, and those of others whose case has changed. */
  take(changes: readonly Change[]): readonly Change[] {
    if (this.#limit === 0) return changes;
    const unsettled = new Set<Place>();
    for (const change of changes) if (change.identity.route !== "") this.#hear(change, unsettled);
    const flipped = this.#settle(unsettled);
    const words = changes.map((change) => {
      const entry = this.#entries.get(change.id);
      if (entry?.limited === true && change.stand.type === "live") return this.#forbidden(change);
      return flipped.has(change.id) ? anew(change) : change;
    });
    for (const { id } of changes) flipped.delete(id);
    return [...words, ...this.#wordsOf(flipped.values())];
  }

  /** What stands has been read: of what no shard has spoken yet, it keeps its place. */
  begin(groups: Iterable<LimitedGroup>): void {
    if (this.#limit === 0) return;
    for (const { id, identity, change } of groups)
      if (change === undefined && !this.#entries.has(id) && this.#stands(id))
        this.#enter(id, identity, undefined);
  }

  /** The limit has changed while running. Returns the words to act on. */
  configure(limit: number, groups: Iterable<LimitedGroup>): readonly Change[] {
    if (limit === this.#limit) return [];
    const before = this.#limit;
    const limited = [...this.#entries.values()].filter((entry) => entry.limited);
    this.#limit = limit;
    if (limit === 0) {
      this.#entries.clear();
      this.#places.clear();
      for (const entry of limited) entry.limited = false;
      return this.#wordsOf(limited);
    }
    if (before === 0)
      for (const { id, identity, change } of groups)
        if (change === undefined ? this.#stands(id) : this.#takesUp(change))
          this.#enter(id, identity, change);
    const flipped = this.#settle(this.#places.values());
    // Their reasons name the limit.
    return this.#wordsOf(new Set([...limited, ...flipped.values()]));
  }

  /** Nothing of the group stands any more, and the writer forgets it. Returns the words to act on. */
  forgotten(id: string): readonly Change[] {
    const entry = this.#entries.get(id);
    if (entry === undefined) return [];
    if (entry.limited) return this.#wordsOf([entry]);
    const { place } = entry;
    this.#leave(entry);
    return this.#wordsOf(this.#settle([place]).values());
  }

  /** The shard that spoke of these groups is lost. */
  unhear(isOf: (identity: Identity) => boolean): void {
    for (const entry of this.#entries.values()) if (isOf(entry.identity)) entry.heard = false;
  }

  /** Their shard has said everything anew: what it did not mention, and of which nothing stands, is gone. */
  rehear(isOf: (identity: Identity) => boolean): readonly Change[] {
    const unsettled = new Set<Place>();
    for (const entry of this.#entries.values()) {
      if (entry.heard || !isOf(entry.identity) || this.#stands(entry.id)) continue;
      unsettled.add(entry.place);
      this.#leave(entry);
    }
    return this.#wordsOf(this.#settle(unsettled).values());
  }

  #hear(change: Change, unsettled: Set<Place>): void {
    const { id, identity, stand } = change;
    const held = this.#entries.get(id);
    if (!this.#takesUp(change)) {
      if (held === undefined) return;
      unsettled.add(held.place);
      return this.#leave(held);
    }
    if (held === undefined) return void unsettled.add(this.#enter(id, identity, change).place);
    const { age, place } = held;
    const wasLive = isLive(held);
    Object.assign(held, { change, heard: true });
    if (stand.type === "live") held.age = stand.age;
    if (wasLive === isLive(held) && isSameAge(age, held.age)) return;
    unsettled.add(place);
    if (keyOf(held) !== place.key) this.#move(held);
    unsettled.add(held.place);
  }

  #takesUp({ id, stand }: Change): boolean {
    if (stand.type === "absent") return stand.grace && this.#stands(id);
    return stand.type !== "nothing";
  }

  #enter(id: string, identity: Identity, change: Change | undefined): Entry {
    const age = change?.stand.type === "live" ? change.stand.age : undefined;
    const place = this.#placeAt(keyOf({ identity, age }));
    const entry = { id, identity, place, change, age, limited: false, heard: true };
    place.entries.add(entry);
    this.#entries.set(id, entry);
    return entry;
  }

  #leave(entry: Entry): void {
    const { id, place, limited } = entry;
    if (limited) place.limited--;
    place.entries.delete(entry);
    this.#entries.delete(id);
    if (place.entries.size === 0) this.#places.delete(place.key);
  }

  /** The oldest member of a group across clusters is in another one now. */
  #move(entry: Entry): void {
    this.#leave(entry);
    entry.place = this.#placeAt(keyOf(entry));
    if (entry.limited) entry.place.limited++;
    entry.place.entries.add(entry);
    this.#entries.set(entry.id, entry);
  }

  #placeAt(key: string): Place {
    const place = this.#places.get(key) ?? { key, entries: new Set(), limited: 0 };
    this.#places.set(key, place);
    return place;
  }

  /** Decides anew who is limited in these places; returns those of whom that has changed, by id. */
  #settle(places: Iterable<Place>): Map<string, Entry> {
    const flipped = new Map<string, Entry>();
    for (const place of places) {
      if (place.entries.size <= this.#limit && place.limited === 0) continue;
      const live = [...place.entries].filter(isLive);
      const room = Math.max(0, this.#limit - (place.entries.size - live.length));
      const within = new Set(place.entries.size <= this.#limit ? live : this.#first(live, room));
      for (const entry of place.entries) {
        const isLimited = isLive(entry) && !within.has(entry);
        if (entry.limited === isLimited) continue;
        entry.limited = isLimited;
        place.limited += isLimited ? 1 : -1;
        flipped.set(entry.id, entry);
      }
    }
    return flipped;
  }

  #first(entries: readonly Entry[], count: number): readonly Entry[] {
    return entries
      .map((entry) => ({ entry, stands: this.#stands(entry.id) }))
      .sort((a, b) => Number(b.stands) - Number(a.stands) || compareEntries(a.entry, b.entry))
      .slice(0, count)
      .map(({ entry }) => entry);
  }

  /** As if their shards had said it; nothing of those that are not heard. */
  #wordsOf(entries: Iterable<Entry>): Change[] {
    const words: Change[] = [];
    for (const { change, limited, heard } of entries)
      if (change !== undefined && heard) words.push(limited ? this.#forbidden(change) : anew(change));
    return words;
  }

  #forbidden(change: Change): Change {
    return forbiddenWord(change, this.#limit, this.#stands(change.id));
  }
}

const isLive = ({ change }: Entry): boolean => change?.stand.type === "live";

function keyOf({ identity: { cluster, namespace }, age }: Pick<Entry, "identity" | "age">): string {
  return `${cluster === "" ? (age?.cluster ?? "") : cluster}/${namespace}`;
}

function isSameAge(a: Age | undefined, b: Age | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && compareAge(a, b) === 0);
}

function compareEntries(a: Entry, b: Entry): number {
  const byAge = a.age === undefined || b.age === undefined ? 0 : compareAge(a.age, b.age);
  return byAge || compareBytewise(a.identity.route, b.identity.route) || compareBytewise(a.id, b.id);
}
