import { compareBytewise } from "../../declare/byte-order.ts";
import { TranslatorError } from "../../errors.ts";
import type { Cancel, Clock } from "../../runtime.ts";
import type { Explained, ExplainQuery } from "../../shard/protocol.ts";
import type { GroupRecord } from "../../write/group-record.ts";
import { localOf } from "../local-of.ts";
import { isProblem, isSameProblem } from "../problem-advice.ts";
import type { Problem } from "../problems.ts";
import { explainState } from "../reasons.ts";
import type { ReasonFacts } from "../reasons.ts";
import type { State } from "../state.ts";
import type { KubeEvent, Regarded } from "./kube-event.ts";
import { kubeEvent } from "./kube-event.ts";
import { StrayEnds } from "./stray-ends.ts";

/** Objects of one group that get an Event: as many as a person looks at. */
const mostOfGroup = 20;
/** Groups that are asked about at once. */
const askedAtOnce = 256;
/** Milliseconds after which a shard that was lost is asked again. */
const askAgainAfter = 1000;

type Place = Omit<Regarded, "uid" | "route">;

export interface ProblemEventsParts {
  readonly clock: Clock;
  readonly instance: string;
  readonly facts: ReasonFacts;
  readonly record: (id: string) => GroupRecord | undefined;
  /** Asks the shards; rejects with `SHARD_LOST` while one of them is away. */
  readonly explain: (query: ExplainQuery) => Promise<readonly Explained[]>;
  /** Undefined: the object is not there any more. */
  readonly uidOf: (place: Place) => string | undefined;
  /** Takes the newest Event of a declaration; `isFirst`: nothing was told of its problem before. */
  readonly send: (key: string, event: KubeEvent, isFirst: boolean) => void;
  /** A group of which a problem was told here is not there: told anew is what becomes of it if it comes back. */
  readonly gone: (id: string) => void;
  readonly onFault: (error: unknown) => void;
}

/** Of one declaration: what an Event said last. */
interface Told {
  readonly regarded: Regarded;
  readonly state: State;
  readonly reason: string;
}

/**
 * Makes Events of problems: one on each object that has it, and one when it is routed after all. What has been told is
 * told again only when it is another state or reason, or by another process: then it counts on the same Event.
 */
export class ProblemEvents {
  readonly #parts: ProblemEventsParts;
  /** Groups of which it is to be found out who has their problem. */
  readonly #open = new Map<string, Problem>();
  /** What could not be told, for something else was under way; it may not be news to anybody when it can. */
  readonly #untold = new Map<string, Problem>();
  /** Group, or object → declaration → what was told. Holds those alone that have a problem. */
  readonly #told = new Map<string, Map<string, Told>>();
  readonly #ends: StrayEnds;
  #timer: Cancel | undefined;
  #asking = false;

  constructor(parts: ProblemEventsParts) {
    this.#parts = parts;
    const { clock, facts, record, explain, onFault } = parts;
    const reason = "what it declares can be read again and is routed";
    this.#ends = new StrayEnds({
      ...{ clock, facts, record, explain, onFault },
      routed: (id, place) => this.#tell(id, [{ place, route: "", state: "Routed", reason }]),
      gone: (id) => this.#told.delete(id),
    });
  }

  take(problem: Problem): void {
    this.#untold.delete(problem.id);
    if (problem.identity.route === "") return this.#takeStray(problem);
    this.#open.set(problem.id, problem);
    this.#askSoon(0);
  }

  /** What is to be told of the group may have changed. */
  touched(id: string): void {
    this.#ends.askSoon();
    const problem = this.#untold.get(id);
    if (problem === undefined) return;
    this.#untold.delete(id);
    this.#open.set(id, problem);
    this.#askSoon(askAgainAfter);
  }

  /** The group is not there any more, unless it has come back meanwhile. */
  forget(id: string): void {
    if (this.#parts.record(id) !== undefined) return;
    for (const all of [this.#open, this.#untold, this.#told]) all.delete(id);
  }

  /** A burst is over: what could not be told is tried again. */
  review(): void {
    this.#ends.askSoon(0);
    for (const problem of [...this.#untold.values()]) this.take(problem);
  }

  #takeStray(all: Problem): void {
    const { id, identity, told } = all;
    const { cluster, kind, namespace, name } = identity;
    const place = { cluster, kind, namespace, name };
    const [problem] = told;
    if (problem === undefined) return this.#strayEnded(id, place);
    this.#ends.drop(id);
    const { state, reason } = problem;
    const prefix = `${cluster}/${namespace}/${kind}/${name}: `;
    const said = reason.startsWith(prefix) ? reason.slice(prefix.length) : reason;
    if (!this.#tell(id, [{ place, route: "", state, reason: said }])) this.#untold.set(id, all);
  }

  /** What it declares can be read: another problem may have come, and nothing is routed yet. */
  #strayEnded(id: string, place: Place): void {
    const told = this.#told.get(id);
    if (told === undefined) return;
    if (this.#parts.uidOf(place) === undefined) {
      this.#told.delete(id);
      return this.#ends.drop(id);
    }
    // The same once more would be news.
    for (const [key, each] of told) told.set(key, { ...each, reason: "" });
    this.#ends.wait(id, place);
  }

  /** An object is kept from its shard because it killed it. */
  quarantined(place: Place): void {
    const uid = this.#parts.uidOf(place);
    if (uid === undefined) return;
    const reason =
      "this object ended a worker of the translator each time it was read, and is read no more: what stands of it stays as it is; correct what it declares or delete it, and report this";
    this.#send({ ...place, uid, route: "" }, "Frozen", reason, "Warning");
  }

  stop(): void {
    this.#timer?.();
    this.#ends.stop();
    this.#open.clear();
    this.#untold.clear();
  }

  #askSoon(wait: number): void {
    if (this.#asking || this.#timer !== undefined || this.#open.size === 0) return;
    this.#timer = this.#parts.clock.after(wait, () => {
      this.#timer = undefined;
      this.#ask().catch(this.#parts.onFault);
    });
  }

  async #ask(): Promise<void> {
    const asked = [...this.#open].slice(0, askedAtOnce);
    const ids = asked.map(([id]) => id);
    for (const id of ids) this.#open.delete(id);
    this.#asking = true;
    let wait = 0;
    try {
      const explained = await this.#parts.explain({ by: "ids", ids });
      const byGroup = Map.groupBy(explained, ({ id }) => id);
      for (const [id, problem] of asked) this.#judge(problem, byGroup.get(id) ?? []);
    } catch (error) {
      const isAway =
        error instanceof TranslatorError && (error.code === "SHARD_LOST" || error.code === "ABORTED");
      if (!isAway) throw error;
      for (const [id, problem] of asked) if (!this.#open.has(id)) this.#open.set(id, problem);
      wait = askAgainAfter;
    } finally {
      this.#asking = false;
    }
    this.#askSoon(wait);
  }

  #judge(problem: Problem, members: readonly Explained[]): void {
    const { record: recordOf, facts, gone } = this.#parts;
    const { id } = problem;
    const record = recordOf(id);
    if (record === undefined) {
      this.#told.delete(id);
      return gone(id);
    }
    const found = members.map((member) => {
      const { cluster, kind, namespace, name, route } = member;
      const place = { cluster, kind, namespace, name };
      return { place, route, ...explainState(record, localOf(member, record), facts) };
    });
    const isTold = this.#tell(id, found);
    const isOpen = this.#told.has(id);
    if (!isTold || isOpen !== problem.told.length > 0) this.#untold.set(id, problem);
  }

  /**
   * Says what is news about the declarations of a group; forgets those that are not there any more. False: an object that
   * has a problem cannot be found.
   */
  #tell(
    id: string,
    found: readonly {
      readonly place: Place;
      readonly route: string;
      readonly state: State;
      readonly reason: string;
    }[],
  ): boolean {
    let isTold = true;
    const before = this.#told.get(id) ?? new Map<string, Told>();
    const after = new Map<string, Told>();
    for (const { place, route, state, reason } of found.toSorted((a, b) => comparePlaces(a.place, b.place))) {
      const uid = this.#parts.uidOf(place);
      if (uid === undefined) {
        if (isProblem(state)) isTold = false;
        continue;
      }
      const regarded = { ...place, uid, route };
      const key = keyOf(regarded);
      const told = before.get(key);
      if (isProblem(state)) {
        if (after.size >= mostOfGroup) continue;
        after.set(key, { regarded, state, reason });
        if (told === undefined || !isSameProblem(told, { state, reason }))
          this.#send(regarded, state, reason, "Warning", told === undefined);
      } else if (told !== undefined) {
        if (state === "Routed" || state === "NoNodes") this.#send(regarded, "Routed", reason, "Normal");
        else after.set(key, told);
      }
    }
    if (after.size === 0) this.#told.delete(id);
    else this.#told.set(id, after);
    return isTold;
  }

  #send(regarded: Regarded, state: State, reason: string, type: KubeEvent["type"], isFirst = false): void {
    const { clock, instance, send } = this.#parts;
    send(keyOf(regarded), kubeEvent(instance, regarded, state, reason, { type, at: clock.wall() }), isFirst);
  }
}

function keyOf({ kind, namespace, name, uid, route }: Regarded): string {
  return [kind, namespace, name, uid, route].join("/");
}

function comparePlaces(a: Place, b: Place): number {
  return (
    compareBytewise(a.cluster, b.cluster) ||
    compareBytewise(a.namespace, b.namespace) ||
    compareBytewise(a.name, b.name)
  );
}
