import type { TranslatorError } from "../errors.ts";

/** What a reflector carries from phase to phase. */
export interface Course {
  /** `listing` until the first list of the term is complete or has failed. */
  readonly health: "listing" | "synced" | "degraded";
  /** Failures since the last sign of health: the exponent of the backoff. */
  readonly failures: number;
  /** WatchList was refused or did not answer: lists come in pages for the rest of the session. */
  readonly pagesOnly: boolean;
  /** What last went wrong, for the reason of `degraded`. */
  readonly cause: TranslatorError | undefined;
}

/** Where one kind in one cluster stands. The comment says what holds while the phase lasts. */
export type Phase =
  /** Nothing has been asked yet. */
  | { readonly at: "idle" }
  /**
   * Page `page` is being read. `resourceVersion` is that of page 1 (`""` before it is there): a watch from it misses
   * nothing that a later page did not show.
   */
  | { readonly at: "pages"; readonly page: number; readonly resourceVersion: string; readonly token: string }
  /** A WatchList is open; its initial events are not all there. */
  | { readonly at: "initial" }
  /** A list is complete; deletes for the keys that it lacks are being said. `stream`: on an open WatchList. */
  | { readonly at: "sweep"; readonly resourceVersion: string; readonly stream: boolean }
  /**
   * A watch is open or being opened. Everything up to `resourceVersion` has been passed on. `alive`: it sent an event or
   * has stood for a second. `missed`: probes in a row that failed. `behind`: probes in a row that found the store ahead
   * while the watch sent nothing.
   */
  | {
      readonly at: "watch";
      readonly resourceVersion: string;
      readonly alive: boolean;
      readonly missed: number;
      readonly behind: number;
    }
  /** Nothing is open. */
  | { readonly at: "wait"; readonly next: "list" }
  | { readonly at: "wait"; readonly next: "watch"; readonly resourceVersion: string }
  /** Nothing more happens. */
  | { readonly at: "stopped" };

export interface ReflectorState {
  readonly course: Course;
  readonly phase: Phase;
}

export const initialState: ReflectorState = {
  course: { health: "listing", failures: 0, pagesOnly: false, cause: undefined },
  phase: { at: "idle" },
};

/** What happened. An input that does not belong to the phase changes nothing. */
export type Input =
  | { readonly type: "start" }
  /** The wait is over. */
  | { readonly type: "waited" }
  /** A page was read to its end, its items passed on. `token` is `""` on the last one. */
  | { readonly type: "page"; readonly resourceVersion: string; readonly token: string }
  /** All deletes of a completed list have been said. */
  | { readonly type: "swept" }
  /** An event of the watch, already passed on. */
  | { readonly type: "event"; readonly resourceVersion: string }
  | { readonly type: "bookmark"; readonly resourceVersion: string; readonly initialEnd: boolean }
  /** The watch has stood for a second. */
  | { readonly type: "alive" }
  /** The watch ended in order; `early`: within a second. */
  | { readonly type: "closed"; readonly early: boolean }
  /** A page, the opening of a watch, or a watch failed. */
  | { readonly type: "failed"; readonly error: TranslatorError }
  /** A WatchList brought neither event nor bookmark for 30 s. */
  | { readonly type: "silent" }
  /** The list, all of it, takes longer than continue tokens live. */
  | { readonly type: "tooLong" }
  /** The probe's list says where the store is; `asOf` is where the watch was when the probe was sent. */
  | { readonly type: "probed"; readonly resourceVersion: string; readonly asOf: string }
  | { readonly type: "probeFailed"; readonly error: TranslatorError }
  /** Requests go another way from now on: what is open ends, and goes on there. */
  | { readonly type: "renewed" }
  /** There has been no live watch for 30 s. */
  | { readonly type: "overdue" }
  | { readonly type: "stop" };

/** What the driver must do, in order. Opening something replaces whatever was open. */
export type Effect =
  /** What is seen from now on belongs to a new list. */
  | { readonly do: "beginList" }
  | { readonly do: "readPage"; readonly token: string }
  | { readonly do: "openWatchList" }
  | { readonly do: "openWatch"; readonly resourceVersion: string }
  /** Say the deletes of a completed list, then answer `swept`. */
  | { readonly do: "sweep" }
  /** End what is open. */
  | { readonly do: "hangUp" }
  /** Answer `waited` after `atLeast` plus a random part of `upTo` milliseconds. */
  | { readonly do: "wait"; readonly atLeast: number; readonly upTo: number }
  | { readonly do: "saySynced" }
  | { readonly do: "sayDegraded"; readonly error: TranslatorError };

export interface Step {
  readonly state: ReflectorState;
  readonly effects: readonly Effect[];
}

/** Whether the 30 s run after which a kind without a live watch is degraded. */
export function overdueRuns({ course, phase }: ReflectorState): boolean {
  return course.health === "synced" && phase.at !== "stopped" && !(phase.at === "watch" && phase.alive);
}

/** Whether the limit on the time of a whole list runs. */
export function listRuns({ phase }: ReflectorState): boolean {
  return phase.at === "pages" || phase.at === "initial";
}

/** The resourceVersion that a probe is compared with; undefined while nothing is to be probed. */
export function probedFrom({ phase }: ReflectorState): string | undefined {
  return phase.at === "watch" ? phase.resourceVersion : undefined;
}
