/**
 * What can go wrong between a client and APISIX, switched on and off while the embedded Admin API runs.
 *
 * Chance comes from the given `Random`, and is asked for only where a rule's `chance` is below 1: the same seed gives the same faults.
 */
import type { Random } from "../../runtime.ts";
import type { AdminReply } from "./admin-reply.ts";
import type { BodyEnding, WrongType } from "./spoil-reply.ts";

/** `down`: refused at once. `hung`: as if etcd were stopped with SIGSTOP (see `EmbeddedAdmin`). */
export type EtcdState = "up" | "down" | "hung";

/** Milliseconds, or a range to draw them from. */
export type Span = number | readonly [from: number, to: number];

/** `before`: nothing is applied (a delay: not yet). `after`: it is applied, whatever the client is told. */
type Moment = "before" | "after";

export type AdminFault =
  /**
   * The request is applied (`before`) or answered (`after`) this much later. A client that gave up meanwhile is none the
   * wiser: with `before` its request is applied late all the same, as recorded of a hung etcd. Of several that strike one
   * request at the same moment the longest counts: none makes it later than its rule says.
   */
  | { readonly kind: "delay"; readonly ms: Span; readonly when: Moment }
  /** The connection is reset. */
  | { readonly kind: "reset"; readonly when: Moment }
  /** Something answers in APISIX's place, as a proxy with 429 or an HTML page; nothing is applied. */
  | { readonly kind: "reply"; readonly reply: AdminReply }
  /** The admin key is refused with 401. */
  | { readonly kind: "wrong-key" }
  /** The body ends early, after this part of it (0 to 1), or does not end. */
  | { readonly kind: "body"; readonly keep: number; readonly ending: BodyEnding }
  /** A list whose JSON is well-formed and whose types are not APISIX's. */
  | { readonly kind: "wrong-types"; readonly what: WrongType }
  /** A DELETE is judged by a view of references that is this many milliseconds old. */
  | { readonly kind: "stale-references"; readonly lag: number };

export interface FaultRule {
  readonly fault: AdminFault;
  /** Absent: every method. */
  readonly methods?: readonly string[];
  /** `routes`, `upstreams`, …; absent: every path. */
  readonly resource?: string;
  readonly id?: string;
  /** 0 to 1; absent: always. */
  readonly chance?: number;
  /** How often it strikes before it is spent; absent: without end. */
  readonly times?: number;
}

export interface FaultSubject {
  readonly method: string;
  readonly resource: string | undefined;
  readonly id: string | undefined;
}

interface ArmedRule {
  readonly rule: FaultRule;
  left: number;
}

export class AdminFaults {
  readonly #random: Random;
  readonly #rules = new Set<ArmedRule>();
  readonly #etcdListeners = new Set<(state: EtcdState) => void>();
  #etcd: EtcdState = "up";
  #struck = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Requests that met a fault. */
  get struck(): number {
    return this.#struck;
  }

  get etcd(): EtcdState {
    return this.#etcd;
  }

  setEtcd(state: EtcdState): void {
    if (state === this.#etcd) return;
    this.#etcd = state;
    for (const listener of this.#etcdListeners) listener(state);
  }

  onEtcd(listener: (state: EtcdState) => void): void {
    this.#etcdListeners.add(listener);
  }

  /** @returns Takes the rule away. */
  add(rule: FaultRule): () => void {
    const armed = { rule, left: rule.times ?? Number.POSITIVE_INFINITY };
    this.#rules.add(armed);
    return () => this.#rules.delete(armed);
  }

  /** Takes every rule away and brings etcd up. */
  clear(): void {
    this.#rules.clear();
    this.setEtcd("up");
  }

  /** The faults that strike a request, in the order in which their rules were added. */
  strike(subject: FaultSubject): readonly AdminFault[] {
    if (this.#rules.size === 0) return [];
    const faults: AdminFault[] = [];
    for (const armed of this.#rules) {
      const { rule } = armed;
      if (!matches(rule, subject)) continue;
      if (rule.chance !== undefined && rule.chance < 1 && this.#random() >= rule.chance) continue;
      faults.push(rule.fault);
      armed.left -= 1;
      if (armed.left <= 0) this.#rules.delete(armed);
    }
    if (faults.length > 0) this.#struck++;
    return faults;
  }

  /** Milliseconds of a span. */
  draw(span: Span): number {
    if (typeof span === "number") return span;
    return span[0] + this.#random() * (span[1] - span[0]);
  }
}

function matches(rule: FaultRule, subject: FaultSubject): boolean {
  if (rule.methods !== undefined && !rule.methods.includes(subject.method)) return false;
  if (rule.resource !== undefined && rule.resource !== subject.resource) return false;
  return rule.id === undefined || rule.id === subject.id;
}
