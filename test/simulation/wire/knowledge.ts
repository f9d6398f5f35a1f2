import type { Body } from "../oracle/ownership.ts";
import { writtenOf } from "../oracle/ownership.ts";
import { LastReads } from "./last-reads.ts";

export type Collection = "routes" | "upstreams";

/**
 * What a process can know of one object: as it last read it or had its write acknowledged. `unknown`: a request ended
 * without an answer since. `either`: what was known before, and what was sent since without an answer (undefined:
 * nothing, or a DELETE); absent: what was known before is not known either.
 */
export type Known =
  | { readonly type: "value"; readonly value: Body }
  | { readonly type: "absent" }
  | { readonly type: "unknown"; readonly either?: readonly (Body | undefined)[] };

/** All that may stand, as far as the process knows; undefined: anything. */
export function candidatesOf(known: Known): readonly (Body | undefined)[] | undefined {
  if (known.type === "value") return [known.value];
  return known.type === "absent" ? [undefined] : known.either;
}

export interface ReadItem {
  readonly id: string;
  readonly value: Body;
}

/** One look at all: routes, services, and then upstreams or not; each list is asked for as soon as the one before was heard. */
interface Sweep {
  readonly startedAt: number;
  readonly routes: readonly ReadItem[];
  /** When the store was read. */
  readonly routesAt: number;
  /** When its last list was heard, and which is to come. */
  heardAt: number;
  next: "services" | "upstreams";
}

export interface HeardList {
  readonly items: readonly ReadItem[];
  readonly sentAt: number;
  /** When the store was read. */
  readonly at: number;
  readonly heardAt: number;
}

/** Two looks at the same time are rare, more do not happen. */
const sweepsAtOnce = 4;

/** Of this id a request ended without an answer. */
interface Uncertain {
  /** When it next succeeded, or was looked at. */
  okAt: number | undefined;
  /** What the look that is under way has not read yet. */
  unread: Set<Collection>;
  /** The last trouble when that look began. */
  troubleBefore: number;
}

/** A little less than the 10 s of normal answers after which an uncertain id is read back for good. */
const normalFor = 9_000;

const bothCollections = (): Set<Collection> => new Set(["routes", "upstreams"]);

const unknown: Known = { type: "unknown" };
const absent: Known = { type: "absent" };

/** What one process was told of APISIX, kept from outside: by what came over its wire. */
export class Knowledge {
  readonly lastReads = new LastReads();
  readonly #known = new Map<string, Known>();
  /** When the store was last looked at for this key, and the process heard the answer. */
  readonly #looks = new Map<string, number>();
  /** When the last request of an id ended, and which are in flight. */
  readonly #ended = new Map<string, number>();
  readonly #inFlight = new Map<string, number>();
  readonly #uncertain = new Map<string, Uncertain>();
  /** Ids that ever were: whether a look at one of them was a read back is not seen from outside. */
  readonly #everUncertain = new Set<string>();
  #lookAtAll: Record<Collection, number> = { routes: -Infinity, upstreams: -Infinity };
  #sweeps: Sweep[] = [];
  #troubleAt = -Infinity;
  /** When the store was read for the last list of everybody's routes. */
  routesSeenAt = -Infinity;

  of(collection: Collection, id: string): Known {
    const key = `${collection}/${id}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    return this.#lookAtAll[collection] === -Infinity ? unknown : absent;
  }

  /** When the process last saw what stands there; -Infinity: never. */
  lookedAt(collection: Collection, id: string): number {
    return Math.max(this.#looks.get(`${collection}/${id}`) ?? -Infinity, this.#lookAtAll[collection]);
  }

  /** Whatever does not read the other half of a look begins a new one. */
  begins(collection: Collection, id: string): void {
    this.#inFlight.set(id, (this.#inFlight.get(id) ?? 0) + 1);
    const uncertain = this.#uncertain.get(id);
    if (uncertain === undefined || (uncertain.unread.size === 1 && uncertain.unread.has(collection))) return;
    uncertain.unread = bothCollections();
    uncertain.troubleBefore = this.#troubleAt;
  }

  ends(id: string, at: number): void {
    this.#inFlight.set(id, (this.#inFlight.get(id) ?? 1) - 1);
    this.#ended.set(id, at);
  }

  inFlight(id: string): number {
    return this.#inFlight.get(id) ?? 0;
  }

  read(collection: Collection, id: string, value: Body | undefined, at: number): void {
    this.#known.set(`${collection}/${id}`, value === undefined ? absent : { type: "value", value });
    this.#looks.set(`${collection}/${id}`, at);
    this.lastReads.heard(collection, id, value, at);
    this.#readBack(collection, id, at);
  }

  /** A look that began too soon after trouble was for another reason, a shard's question say: it makes nothing certain. */
  #readBack(collection: Collection, id: string, at: number): void {
    const uncertain = this.#uncertain.get(id);
    uncertain?.unread.delete(collection);
    if (uncertain === undefined || uncertain.unread.size > 0) return;
    uncertain.unread = bothCollections();
    if (at - uncertain.troubleBefore < normalFor) return;
    if (uncertain.okAt !== undefined && at - uncertain.okAt >= normalFor) this.#uncertain.delete(id);
    else uncertain.okAt ??= at;
  }

  /** `value` undefined: it was deleted. */
  written(collection: Collection, id: string, value: Body | undefined, at: number): void {
    const uncertain = this.#uncertain.get(id);
    if (uncertain !== undefined) uncertain.okAt = at;
    this.lastReads.heard(collection, id, value, at);
    this.#known.set(`${collection}/${id}`, value === undefined ? absent : { type: "value", value });
  }

  /** `value`: what it was to make stand; undefined: it was to delete. */
  unanswered(collection: Collection, id: string, value: Body | undefined): void {
    const before = candidatesOf(this.of(collection, id));
    const known: Known = before === undefined ? unknown : { type: "unknown", either: [...before, value] };
    this.#known.set(`${collection}/${id}`, known);
    this.#everUncertain.add(id);
    this.#uncertain.set(id, { okAt: undefined, unread: bothCollections(), troubleBefore: this.#troubleAt });
  }

  /** A request for one object had no answer, or not a normal one. */
  troubled(at: number): void {
    this.#troubleAt = at;
  }

  /** A whole list was heard to its end. Routes count once their services have been heard, all once upstreams have. */
  listed(collection: Collection | "services", { items, sentAt, at, heardAt }: HeardList): void {
    if (collection === "routes") {
      const begun: Sweep = { startedAt: sentAt, routes: items, routesAt: at, heardAt, next: "services" };
      this.#sweeps = [...this.#sweeps.slice(-sweepsAtOnce), begun];
      return;
    }
    const sweep = this.#sweeps.find(({ next, heardAt: before }) => next === collection && before === sentAt);
    if (sweep === undefined) return;
    if (collection === "services") {
      sweep.next = "upstreams";
      sweep.heardAt = heardAt;
      this.routesSeenAt = Math.max(this.routesSeenAt, sweep.routesAt);
      return;
    }
    this.#sweeps = this.#sweeps.filter((other) => other !== sweep);
    this.#adopt("routes", sweep.routes, sweep.startedAt, sweep.routesAt);
    this.#adopt("upstreams", items, sweep.startedAt, at);
  }

  #see(collection: Collection, id: string, value: Body): void {
    const key = `${collection}/${id}`;
    const known = this.#known.get(key);
    const isNews = known?.type !== "value" || writtenOf(known.value) !== writtenOf(value);
    if (isNews && this.#everUncertain.has(id)) this.#known.set(key, unknown);
    else this.#known.set(key, { type: "value", value });
  }

  /** The audit passes over ids with a request in flight or ended since it began, and over those that are uncertain. */
  #adopt(collection: Collection, items: readonly ReadItem[], startedAt: number, at: number): void {
    const isPassedOver = (id: string): boolean =>
      this.inFlight(id) > 0 || (this.#ended.get(id) ?? -Infinity) >= startedAt || this.#uncertain.has(id);
    const seen = new Set(items.map(({ id }) => id));
    for (const key of this.#known.keys()) {
      const [of, id = ""] = key.split("/");
      if (of === collection && !seen.has(id) && !isPassedOver(id)) this.#known.set(key, absent);
    }
    for (const { id, value } of items) if (!isPassedOver(id)) this.#see(collection, id, value);
    this.lastReads.listed(collection, items, startedAt);
    this.#lookAtAll[collection] = at;
  }
}
