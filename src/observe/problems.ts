import type { Identity } from "../apisix/types.ts";
import type { Cancel, Clock } from "../runtime.ts";
import type { Change, LocalState } from "../shard/change.ts";
import type { GroupRecord } from "../write/group-record.ts";
import { isProblem, isSameProblem } from "./problem-advice.ts";
import type { ProblemState } from "./problem-advice.ts";
import { explainState } from "./reasons.ts";
import type { ReasonFacts } from "./reasons.ts";
import { stateOf } from "./states.ts";

/** Problems gather this long before they are told, so that what comes and goes at once is not. */
const gathering = 200;
/** Groups judged in one go, a millisecond's work: after a start or a burst it may be all of a fleet's. */
const judgedAtOnce = 64;

const locals: readonly LocalState[] = ["Valid", "Unclear", "Invalid", "Forbidden", "SpecMismatch"];

/** What is wrong with a group, or with what an object declares beside groups. */
export interface Problem {
  /** Of the group; of no group where the identity has no route. */
  readonly id: string;
  readonly identity: Identity;
  /** Each state in which a declaration of it is, once. Empty: it has ended. */
  readonly told: readonly { readonly state: ProblemState; readonly reason: string }[];
  /** It is not what was told before; else only who has it may have changed. */
  readonly isNews: boolean;
}

export interface ProblemsParts {
  readonly clock: Clock;
  readonly facts: ReasonFacts;
  /** Whether the writer still goes by this record. */
  readonly isCurrent: (record: GroupRecord) => boolean;
  readonly told: (problem: Problem) => void;
  /** The writer goes by this record no more: what was told of its group may be forgotten, unless there is another record. */
  readonly gone: (id: string) => void;
}

/** What was told of a group last: its problem, and how many declarations have it. */
interface Word {
  readonly told: Problem["told"];
  readonly counts: string;
}

const nothing: Word = { told: [], counts: "" };

/** Finds out once that a declaration is not routed as it says, and why; and once that this has ended. */
export class Problems {
  readonly #parts: ProblemsParts;
  /** Groups about which something may have changed. */
  readonly #touched = new Map<string, GroupRecord>();
  /** Judged, and not decided yet. */
  readonly #pending = new Map<string, GroupRecord>();
  readonly #words = new Map<string, Word>();
  /** So many of those pending are to be judged again, the first of them. */
  #waiting = 0;
  #timer: Cancel | undefined;

  constructor(parts: ProblemsParts) {
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
    this.#say({ id, identity }, reason === "" ? [] : [{ state: "Invalid", reason }], "");
  }

  /** What was said of this group counts no more. */
  forget(id: string): void {
    this.#words.delete(id);
  }

  /** A burst is over: what was still pending is judged again. */
  review(): void {
    this.#waiting = this.#pending.size;
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
    if (this.#touched.size < judgedAtOnce) {
      this.#askAgain(Math.min(this.#waiting, judgedAtOnce));
      this.#waiting = Math.max(0, this.#waiting - judgedAtOnce);
    }
    let left = judgedAtOnce;
    for (const [id, record] of this.#touched) {
      if (left-- === 0) return this.#goOn();
      this.#touched.delete(id);
      if (this.#tell(record)) this.#pending.delete(id);
      else this.#pending.set(id, record);
    }
    if (this.#waiting > 0) this.#goOn();
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
    const { facts, isCurrent, gone } = this.#parts;
    if (!isCurrent(record)) {
      this.#words.delete(record.id);
      gone(record.id);
      return true;
    }
    if (isOnlyKept(record)) return true;
    const counts = record.change?.counts ?? {};
    const told: Problem["told"][number][] = [];
    for (const local of locals) {
      if ((counts[local] ?? 0) === 0) continue;
      const state = stateOf(record, local, facts);
      // What is not seen now, or is held: neither has its problem ended, nor is it sure to be there still.
      if (state === "Pending" || state === "Frozen") return false;
      if (!isProblem(state)) continue;
      told.push({ state, reason: explainState(record, { state: local, reason: "" }, facts).reason });
    }
    const { Valid: _valid, ...others } = counts;
    const isPlain = told.length === 0 && Object.keys(others).length === 0;
    this.#say(record, told, isPlain ? "" : JSON.stringify(counts));
    return true;
  }

  /** Tells what is wrong, or that it has ended, if that is news, or if others may have it now. */
  #say({ id, identity }: Pick<Problem, "id" | "identity">, told: Problem["told"], counts: string): void {
    const before = this.#words.get(id) ?? nothing;
    if (problemText(told) === problemText(before.told) && counts === before.counts) return;
    if (told.length === 0 && counts === "") this.#words.delete(id);
    else this.#words.set(id, { told, counts });
    this.#parts.told({ id, identity, told, isNews: !isSame(told, before.told) });
  }
}

function isSame(told: Problem["told"], before: Problem["told"]): boolean {
  return (
    told.length === before.length &&
    told.every((each, index) => {
      const other = before[index];
      return other !== undefined && isSameProblem(each, other);
    })
  );
}

/** `Invalid: port is 99999: …; Conflict: …` */
export function problemText(told: Problem["told"]): string {
  return told.map(({ state, reason }) => `${state}: ${reason}`).join("; ");
}

/** It goes on as it stands because an annotation cannot be read: that is told of the object, not of each of its routes. */
function isOnlyKept({ change }: GroupRecord): boolean {
  if (change === undefined || change.stand.type === "absent") return false;
  return Object.keys(change.counts).length === 0;
}
