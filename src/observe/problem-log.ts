import type { Cancel, Clock, Log, LogFields } from "../runtime.ts";
import type { Change, LocalState } from "../shard/protocol.ts";
import type { GroupRecord } from "../write/group-record.ts";
import { isProblem, problemAdvice } from "./problem-advice.ts";
import type { ProblemState } from "./problem-advice.ts";
import { explainState } from "./reasons.ts";
import type { ReasonFacts } from "./reasons.ts";
import { stateOf } from "./states.ts";

/** Problems gather this long before they are told, so that what comes and goes at once is not. */
const gathering = 200;
/** Groups judged in one go, a millisecond's work: after a start or a burst it may be all of a fleet's. */
const judgedAtOnce = 256;
/** Lines in a row, and how long until as many may follow: a thousand bad annotations at a start are one story. */
const linesAtOnce = 25;
const pause = 10_000;

const locals: readonly LocalState[] = ["Valid", "Invalid", "Forbidden", "SpecMismatch"];

interface Told {
  readonly state: ProblemState;
  readonly reason: string;
}

export interface ProblemLogParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly facts: ReasonFacts;
}

/** Tells once that a declaration is not routed as it says, and why; and once when that ends. */
export class ProblemLog {
  readonly #parts: ProblemLogParts;
  /** Groups about which something may have changed. */
  readonly #touched = new Map<string, GroupRecord>();
  /** Judged, and not decided yet. */
  readonly #pending = new Map<string, GroupRecord>();
  /** Group → what was told of it. */
  readonly #told = new Map<string, string>();
  #timer: Cancel | undefined;
  #lines = 0;
  #unsaid = 0;
  #linesFrom = 0;

  constructor(parts: ProblemLogParts) {
    this.#parts = parts;
  }

  touched(record: GroupRecord): void {
    this.#touched.set(record.id, record);
    this.#timer ??= this.#parts.clock.after(gathering, () => {
      this.#timer = undefined;
      this.#askAgain(judgedAtOnce);
      this.#judge();
    });
  }

  /** News of declarations that belong to no group: what cannot be read. */
  stray({ id, identity, reason = "" }: Change): void {
    const { cluster, kind, namespace, name } = identity;
    const told: readonly Told[] = reason === "" ? [] : [{ state: "Invalid", reason }];
    this.#say(id, { cluster, kind, namespace, name }, told);
  }

  /** A burst is over: what was still pending is judged again. */
  review(): void {
    this.#askAgain(this.#pending.size);
    this.#judge();
  }

  stop(): void {
    this.#timer?.();
  }

  #askAgain(most: number): void {
    let left = most;
    for (const [id, record] of this.#pending) {
      if (left-- === 0) return;
      this.#pending.delete(id);
      this.#touched.set(id, record);
    }
  }

  #judge(): void {
    let left = judgedAtOnce;
    for (const [id, record] of this.#touched) {
      if (left-- === 0) return this.#goOn();
      this.#touched.delete(id);
      if (this.#tell(record)) this.#pending.delete(id);
      else this.#pending.set(id, record);
    }
  }

  #goOn(): void {
    this.#timer?.();
    this.#timer = this.#parts.clock.soon(() => {
      this.#timer = undefined;
      this.#judge();
    });
  }

  /** False while it is not decided yet. */
  #tell(record: GroupRecord): boolean {
    const { facts } = this.#parts;
    if (isOnlyKept(record)) return true;
    const told: Told[] = [];
    for (const local of locals) {
      if ((record.change?.counts[local] ?? 0) === 0) continue;
      const state = stateOf(record, local, facts);
      if (state === "Pending") return false;
      if (!isProblem(state)) continue;
      told.push({ state, reason: explainState(record, { state: local, reason: "" }, facts).reason });
    }
    const { cluster, kind, namespace, name, route } = record.identity;
    this.#say(record.id, { cluster, kind, namespace, name, route, id: record.id }, told);
    return true;
  }

  /** Says what is wrong, or that it has ended, if that is news. */
  #say(id: string, fields: LogFields, told: readonly Told[]): void {
    const { log } = this.#parts;
    const problem = told.map(({ state, reason }) => `${state}: ${reason}`).join("; ");
    if (problem === (this.#told.get(id) ?? "")) return;
    if (problem === "") {
      this.#told.delete(id);
      if (this.#mayLog()) log.info(fields, "a problem with a declaration has ended");
      return;
    }
    this.#told.set(id, problem);
    if (!this.#mayLog()) return;
    const advice = problemAdvice(told.map(({ state }) => state));
    if (advice === "") log.info({ ...fields, problem }, "a declaration differs from its group's");
    else log.warn({ ...fields, problem, advice }, "a declaration is not routed as it says");
  }

  #mayLog(): boolean {
    const { clock, log } = this.#parts;
    if (clock.now() - this.#linesFrom > pause) {
      if (this.#unsaid > 0)
        log.warn(
          { problems: this.#unsaid, advice: "see the counts in /status, and ask explain about each" },
          "more problems with declarations",
        );
      this.#linesFrom = clock.now();
      this.#lines = 0;
      this.#unsaid = 0;
    }
    if (this.#lines < linesAtOnce) {
      this.#lines++;
      return true;
    }
    this.#unsaid++;
    return false;
  }
}

/** It goes on as it stands because an annotation cannot be read: that is told of the object, not of each of its routes. */
function isOnlyKept({ change }: GroupRecord): boolean {
  if (change === undefined || change.stand.type === "absent") return false;
  return Object.keys(change.counts).length === 0;
}
