import type { Cancel, Random } from "../../runtime.ts";
import type { Verb } from "./api-path.ts";
import { collectionPath, resourceRows, type ResourceName } from "./resources.ts";
import { kubeStatus } from "./kube-status.ts";

/** What goes wrong with a request, before or instead of its true answer. */
export type RequestFault =
  /** Accepted, never answered. */
  | { readonly type: "hang" }
  /** The connection breaks before any answer. */
  | { readonly type: "reset" }
  /** Answered this many milliseconds late. */
  | { readonly type: "slow"; readonly ms: number }
  /** This answer instead of the true one; see `statusFault`, `proxyFault`, `redirectFault`, `wrongListFault`. */
  | {
      readonly type: "answer";
      readonly status: number;
      readonly contentType: string;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** A body that never ends: one endless JSON string. */
  | { readonly type: "endless" }
  /** The true answer's first bytes; then a clean end, or (`clean: false`) a broken connection. */
  | { readonly type: "truncate"; readonly bytes: number; readonly clean: boolean };

/** What goes wrong with one frame of an open watch. */
export type FrameFault =
  /** Half-open: from now on this watch sends nothing, and does not end either. Ending the fault does not mend it. */
  | { readonly type: "silence" }
  /** Half of the frame, then a broken connection. */
  | { readonly type: "cut" }
  /** Dropped by a lying server; later frames go on. */
  | { readonly type: "lose" }
  | { readonly type: "duplicate" }
  /** An in-stream ERROR event instead, then a clean end. Default code 410. */
  | { readonly type: "error"; readonly code?: number }
  /** This text instead, as it is. */
  | { readonly type: "text"; readonly text: string };

/** Every part that is given must agree; nothing given: all requests. */
export interface FaultPlace {
  readonly resource?: ResourceName;
  readonly verb?: Verb;
  /** Page of a list, from 1. */
  readonly page?: number;
}

/** When a fault strikes: each time, or with `chance`, and at most `times` times. */
export interface FaultLimits {
  readonly chance?: number;
  readonly times?: number;
}

interface Rule<F> {
  readonly place: FaultPlace;
  readonly fault: F;
  readonly chance: number;
  left: number;
}

/**
 * The switchable faults of one server. Rules are tried in the order in which they were added; the first that strikes
 * counts, but `slow` adds to it.
 */
export class Faults {
  readonly #random: Random;
  #requestRules: Rule<RequestFault>[] = [];
  #frameRules: Rule<FrameFault>[] = [];
  /** The uid of `kube-system` that this server claims; undefined: the true one. */
  identity: string | undefined;
  /** Whether WatchList is served; false answers 422 to `sendInitialEvents`, a number that status, as old servers do. */
  watchList: boolean | 400 | 422 = true;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Adds a fault to requests; the returned function takes it away. */
  onRequest(place: FaultPlace, fault: RequestFault, limits: FaultLimits = {}): Cancel {
    const rule = newRule(place, fault, limits);
    this.#requestRules.push(rule);
    return () => {
      this.#requestRules = this.#requestRules.filter((other) => other !== rule);
    };
  }

  /** Adds a fault to frames of watches; the returned function takes it away. */
  onFrame(place: Pick<FaultPlace, "resource">, fault: FrameFault, limits: FaultLimits = {}): Cancel {
    const rule = newRule(place, fault, limits);
    this.#frameRules.push(rule);
    return () => {
      this.#frameRules = this.#frameRules.filter((other) => other !== rule);
    };
  }

  /** Half-open network: open watches fall silent, new requests hang. The returned function ends it. */
  halfOpen(place: Pick<FaultPlace, "resource"> = {}): Cancel {
    const ends = [this.onFrame(place, { type: "silence" }), this.onRequest(place, { type: "hang" })];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Takes every fault away. */
  clear(): void {
    this.#requestRules = [];
    this.#frameRules = [];
    this.identity = undefined;
    this.watchList = true;
  }

  /** The faults that strike this request: any delays, then at most one other. */
  forRequest(place: FaultPlace): { readonly delay: number; readonly fault: RequestFault | undefined } {
    let delay = 0;
    for (const rule of this.#requestRules) {
      if (!this.#strikes(rule, place)) continue;
      if (rule.fault.type !== "slow") return { delay, fault: rule.fault };
      delay += rule.fault.ms;
    }
    return { delay, fault: undefined };
  }

  /** The fault that strikes this frame of a watch. */
  forFrame(resource: ResourceName): FrameFault | undefined {
    return this.#frameRules.find((rule) => this.#strikes(rule, { resource }))?.fault;
  }

  #strikes(rule: Rule<unknown>, place: FaultPlace): boolean {
    if (rule.left <= 0 || !covers(rule.place, place)) return false;
    if (rule.chance < 1 && this.#random() >= rule.chance) return false;
    rule.left -= 1;
    return true;
  }
}

function newRule<F>(place: FaultPlace, fault: F, limits: FaultLimits): Rule<F> {
  return { place, fault, chance: limits.chance ?? 1, left: limits.times ?? Infinity };
}

function covers(rule: FaultPlace, place: FaultPlace): boolean {
  if (rule.resource !== undefined && rule.resource !== place.resource) return false;
  if (rule.verb !== undefined && rule.verb !== place.verb) return false;
  return rule.page === undefined || rule.page === place.page;
}

/** An error status as an API server sends it: a Status in JSON; 429 as plain text with Retry-After (seconds). */
export function statusFault(code: number, retryAfterSeconds?: number): RequestFault {
  const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  const status = kubeStatus(code);
  // Priority-and-fairness rejects outside the API machinery: no Status there.
  if (code === 429) {
    const body = `${status.message}\n`;
    return { type: "answer", status: code, contentType: "text/plain; charset=utf-8", body, headers };
  }
  return {
    type: "answer",
    status: code,
    contentType: "application/json",
    body: `${JSON.stringify(status)}\n`,
    headers,
  };
}

/** A proxy's HTML page, with a status of 200 too. */
export function proxyFault(status: number): RequestFault {
  const body = `<html>\r\n<head><title>${status}</title></head>\r\n<body><h1>${status}</h1><hr>proxy</body>\r\n</html>\r\n`;
  return { type: "answer", status, contentType: "text/html", body };
}

export function redirectFault(location: string, status = 302): RequestFault {
  return { type: "answer", status, contentType: "text/html", body: "", headers: { location } };
}

const listMetadata = { resourceVersion: "2000" };

/** Lists that parse as JSON and are none: each must be refused, never taken as empty. */
export const wrongLists = {
  "items is an object": { metadata: listMetadata, items: {} },
  "items missing": { metadata: listMetadata },
  "metadata missing": { items: [] },
  "resourceVersion missing": { metadata: {}, items: [] },
  "resourceVersion a number": { metadata: { resourceVersion: 2000 }, items: [] },
  "continue a number": { metadata: { ...listMetadata, continue: 7 }, items: [] },
  "an item is null": { metadata: listMetadata, items: [null] },
  "an item without metadata": { metadata: listMetadata, items: [{ spec: {} }] },
  "an item without name": { metadata: listMetadata, items: [{ metadata: { namespace: "shop", uid: "u" } }] },
  "a Status with 200": kubeStatus(500),
} as const;

/** A list of wrong types with status 200; the kind stands in it as it should. */
export function wrongListFault(resource: ResourceName, wrong: keyof typeof wrongLists): RequestFault {
  const { kind } = resourceRows[resource];
  const apiVersion = collectionPath(resource).split("/").slice(2, -1).join("/");
  const body = JSON.stringify({ kind: `${kind}List`, apiVersion, ...wrongLists[wrong] });
  return { type: "answer", status: 200, contentType: "application/json", body };
}
