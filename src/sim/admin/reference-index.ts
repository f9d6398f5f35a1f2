/** Who refers to whom: why a DELETE is refused. */
import type { Clock } from "../../runtime.ts";
import { isJsonObject, type JsonObject } from "./json-schema.ts";

interface Reference {
  /** `upstreams/ID` */
  readonly target: string;
  /** `route [ID]`, `plugin in route [ID]` */
  readonly holder: string;
  /** Lower is named first. */
  readonly rank: number;
}

interface RecentChange {
  readonly target: string;
  readonly holder: string;
  readonly added: boolean;
  readonly at: number;
}

/** Stream routes are not looked at (recorded: their upstream can be deleted). */
const holders: Readonly<Record<string, { readonly word: string; readonly rank: number }>> = {
  routes: { word: "route", rank: 0 },
  services: { word: "service", rank: 1 },
  plugin_configs: { word: "plugin_config", rank: 2 },
  consumers: { word: "consumer", rank: 2 },
  consumer_groups: { word: "consumer_group", rank: 2 },
  global_rules: { word: "global_rule", rank: 2 },
};

const fields: Readonly<Record<string, string>> = {
  upstream_id: "upstreams",
  service_id: "services",
  plugin_config_id: "plugin_configs",
  group_id: "consumer_groups",
};

const recentLimit = 256;

export class ReferenceIndex {
  readonly #clock: Clock;
  readonly #holders = new Map<string, Map<string, number>>();
  #recent: RecentChange[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  replace(
    collection: string,
    id: string,
    before: JsonObject | undefined,
    after: JsonObject | undefined,
  ): void {
    const old = before === undefined ? [] : referencesOf(collection, id, before);
    const now = after === undefined ? [] : referencesOf(collection, id, after);
    for (const each of old) if (!now.some((other) => same(each, other))) this.#remove(each);
    for (const each of now) if (!old.some((other) => same(each, other))) this.#add(each);
  }

  /** The holder that a refusal names; `undefined` when nothing refers to it. */
  holderOf(target: string): string | undefined {
    let found: string | undefined;
    let best = Number.POSITIVE_INFINITY;
    for (const [holder, rank] of this.#holders.get(target) ?? []) {
      if (rank < best) [found, best] = [holder, rank];
    }
    return found;
  }

  /** The same question, asked of a view that has not heard of what happened in the last `lag` milliseconds. */
  staleHolderOf(target: string, lag: number): string | undefined {
    const since = this.#clock.now() - lag;
    const change = this.#recent.findLast((each) => each.target === target && each.at >= since);
    if (change === undefined) return this.holderOf(target);
    return change.added ? undefined : change.holder;
  }

  #add(reference: Reference): void {
    const { target, holder, rank } = reference;
    let known = this.#holders.get(target);
    if (known === undefined) this.#holders.set(target, (known = new Map()));
    known.set(holder, rank);
    this.#note(reference, true);
  }

  #remove(reference: Reference): void {
    const known = this.#holders.get(reference.target);
    known?.delete(reference.holder);
    if (known?.size === 0) this.#holders.delete(reference.target);
    this.#note(reference, false);
  }

  #note({ target, holder }: Reference, added: boolean): void {
    this.#recent.push({ target, holder, added, at: this.#clock.now() });
    if (this.#recent.length > 2 * recentLimit) this.#recent = this.#recent.slice(-recentLimit);
  }
}

function same(one: Reference, other: Reference): boolean {
  return one.target === other.target && one.holder === other.holder;
}

function referencesOf(collection: string, id: string, value: JsonObject): Reference[] {
  const holder = holders[collection];
  if (holder === undefined) return [];
  const found: Reference[] = [];
  for (const [field, target] of Object.entries(fields)) {
    const to = value[field];
    if (typeof to === "string" || typeof to === "number") {
      found.push({ target: `${target}/${to}`, holder: `${holder.word} [${id}]`, rank: holder.rank });
    }
  }
  for (const to of splitTargets(value["plugins"])) {
    found.push({ target: `upstreams/${to}`, holder: `plugin in ${holder.word} [${id}]`, rank: 3 });
  }
  return found;
}

function splitTargets(plugins: unknown): (string | number)[] {
  const split = isJsonObject(plugins) ? plugins["traffic-split"] : undefined;
  const rules: unknown = isJsonObject(split) ? split["rules"] : undefined;
  if (!Array.isArray(rules)) return [];
  return rules
    .flatMap((rule: unknown): unknown[] => {
      const weighted = isJsonObject(rule) ? rule["weighted_upstreams"] : undefined;
      return Array.isArray(weighted) ? weighted : [];
    })
    .map((each) => (isJsonObject(each) ? each["upstream_id"] : undefined))
    .filter((to) => typeof to === "string" || typeof to === "number");
}
