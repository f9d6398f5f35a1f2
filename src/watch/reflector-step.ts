import { TranslatorError } from "../errors.ts";
import { backoffLimit, believedRetryAfter } from "./backoff.ts";
import type { Course, Effect, Input, Phase, ReflectorState, Step } from "./reflector-state.ts";
import { isOlder } from "./resource-version.ts";

/** Two probes in a row: one lost packet or one restarting API server must not cost a watch. */
const missedMost = 2;
/**
 * API servers send a bookmark each 60 to 75 s: a watch that brings none while the store goes on for seven probes, 140 s,
 * is dead behind something that still answers for it.
 */
const behindMost = 7;

type Watching = Extract<Phase, { at: "watch" }>;

/** One step of the reflector: what happened in which state → the next state, and what to do. Pure and total. */
export function step(state: ReflectorState, input: Input): Step {
  const { phase, course } = state;
  if (phase.at === "stopped") return stay(state);
  if (input.type === "stop") return to(course, { at: "stopped" }, { do: "hangUp" });
  if (input.type === "overdue") return overdue(state);
  if (input.type === "renewed") return renewed(state);
  switch (phase.at) {
    case "idle":
      return input.type === "start" ? list(course) : stay(state);
    case "wait":
      if (input.type !== "waited") return stay(state);
      return phase.next === "list" ? list(course) : watch(course, phase.resourceVersion);
    case "pages":
      return inPages(state, phase, input);
    case "initial":
      return inInitial(state, input);
    case "sweep":
      return inSweep(state, phase, input);
    case "watch":
      return inWatch(state, phase, input);
  }
}

function inPages(state: ReflectorState, phase: Extract<Phase, { at: "pages" }>, input: Input): Step {
  const { course } = state;
  // 410 here is a continue token that outlived the revision it stands on: the whole list starts again.
  if (input.type === "failed") return listFailed(course, input.error);
  if (input.type === "tooLong") return listFailed(course, endless());
  if (input.type !== "page") return stay(state);
  const resourceVersion = phase.page === 1 ? input.resourceVersion : phase.resourceVersion;
  if (input.token === "") return to(course, { at: "sweep", resourceVersion, stream: false }, { do: "sweep" });
  if (input.token === phase.token) {
    return listFailed(
      course,
      new TranslatorError("KUBE_PROTOCOL", "a list's continue token leads to itself"),
    );
  }
  const next: Phase = { at: "pages", page: phase.page + 1, resourceVersion, token: input.token };
  return to(course, next, { do: "readPage", token: input.token });
}

function inInitial(state: ReflectorState, input: Input): Step {
  const { course } = state;
  switch (input.type) {
    case "silent":
      return inPagesInstead(course);
    case "tooLong":
      return listFailed({ ...course, pagesOnly: true }, endless());
    case "bookmark": {
      const { resourceVersion, initialEnd } = input;
      // A server that knows `sendInitialEvents` sends no bookmark before the one that ends them.
      if (!initialEnd) return inPagesInstead(course);
      return to(course, { at: "sweep", resourceVersion, stream: true }, { do: "sweep" });
    }
    case "closed":
      return listFailed(
        course,
        new TranslatorError("KUBE_CONNECTION", "the list ended before it was complete"),
      );
    case "failed": {
      const { error } = input;
      if (!isClientError(error)) return listFailed(course, error);
      const paged = { ...course, pagesOnly: true };
      return error.status === 429 ? listFailed(paged, error) : inPagesInstead(paged);
    }
    default:
      return stay(state);
  }
}

function inSweep(state: ReflectorState, phase: Extract<Phase, { at: "sweep" }>, input: Input): Step {
  if (input.type !== "swept") return stay(state);
  const { resourceVersion, stream } = phase;
  const synced: Course = { ...state.course, health: "synced" };
  if (!stream) return watch(synced, resourceVersion, { do: "saySynced" });
  return to(healthy(synced), watching(resourceVersion), { do: "saySynced" });
}

function inWatch(state: ReflectorState, phase: Watching, input: Input): Step {
  const { course } = state;
  switch (input.type) {
    case "event":
    case "bookmark":
      if (isOlder(input.resourceVersion, phase.resourceVersion)) return relist(course, wentBack());
      return to(healthy(course), watching(input.resourceVersion));
    case "alive":
      return to(healthy(course), { ...phase, alive: true });
    case "closed":
      if (phase.alive && !input.early) return watch(healthy(course), phase.resourceVersion);
      return resume(course, phase, new TranslatorError("KUBE_CONNECTION", "the watch ended within a second"));
    case "failed":
      return resumes(input.error) ? resume(course, phase, input.error) : relist(course, input.error);
    case "probed":
      return probed(course, phase, input);
    case "probeFailed": {
      // A server that is too busy to list is not gone, and ending its watches would make it busier.
      if (input.error.status === 429) return stay(state);
      const missed = phase.missed + 1;
      return missed < missedMost ? to(course, { ...phase, missed }) : resume(course, phase, input.error);
    }
    default:
      return stay(state);
  }
}

function probed(course: Course, phase: Watching, input: Extract<Input, { type: "probed" }>): Step {
  if (isOlder(input.resourceVersion, input.asOf)) return relist(course, wentBack());
  const behind = isOlder(phase.resourceVersion, input.resourceVersion) ? phase.behind + 1 : 0;
  if (behind < behindMost) return to(course, { ...phase, missed: 0, behind });
  return resume(
    course,
    phase,
    new TranslatorError("KUBE_CONNECTION", "the watch is silent while the cluster goes on"),
  );
}

/** Decided by what the server can mean: after these the same resourceVersion may still be good. */
function resumes(error: TranslatorError): boolean {
  if (error.code === "KUBE_PROTOCOL") return false;
  return error.status === undefined || error.status === 429 || error.status >= 500;
}

function isClientError({ status }: TranslatorError): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

/** Nothing has failed: a watch goes on where it was, a list that is not complete begins anew. */
function renewed({ course, phase }: ReflectorState): Step {
  if (phase.at === "idle") return stay({ course, phase });
  const resumed = phase.at === "watch" || (phase.at === "wait" && phase.next === "watch");
  return resumed ? watch(course, phase.resourceVersion, { do: "hangUp" }) : list(course, { do: "hangUp" });
}

/** Degraded kinds come back by a whole list only: what went meanwhile is known from nothing else. */
function overdue({ course, phase }: ReflectorState): Step {
  if (course.health !== "synced") return { state: { course, phase }, effects: [] };
  const why = course.cause === undefined ? "" : `: ${course.cause.message}`;
  const error = new TranslatorError("KUBE_CONNECTION", `no watch could be opened for 30 s${why}`);
  const degraded: Course = { ...course, health: "degraded" };
  const say: Effect = { do: "sayDegraded", error };
  if (phase.at === "wait") return to(degraded, { at: "wait", next: "list" }, say);
  if (phase.at === "watch") return list(degraded, say, { do: "hangUp" });
  return to(degraded, phase, say);
}

function listFailed(course: Course, error: TranslatorError): Step {
  const degraded: Course = { ...failed(course, error), health: "degraded" };
  const say: readonly Effect[] = course.health === "degraded" ? [] : [{ do: "sayDegraded", error }];
  return to(degraded, { at: "wait", next: "list" }, { do: "hangUp" }, ...say, backoff(degraded, error));
}

/** What is held stays as it is until the list is complete. The first relist goes at once, the next ones back off. */
function relist(course: Course, error: TranslatorError): Step {
  const next = failed(course, error);
  if (course.failures === 0) return list(next, { do: "hangUp" });
  return to(next, { at: "wait", next: "list" }, { do: "hangUp" }, backoff(next, error));
}

function resume(course: Course, { resourceVersion }: Watching, error: TranslatorError): Step {
  const next = failed(course, error);
  const wait: Phase = { at: "wait", next: "watch", resourceVersion };
  return to(next, wait, { do: "hangUp" }, backoff(next, error));
}

function inPagesInstead(course: Course): Step {
  return list({ ...course, pagesOnly: true }, { do: "hangUp" });
}

function list(course: Course, ...before: Effect[]): Step {
  const begin: readonly Effect[] = [...before, { do: "beginList" }];
  if (!course.pagesOnly) return to(course, { at: "initial" }, ...begin, { do: "openWatchList" });
  const first: Phase = { at: "pages", page: 1, resourceVersion: "", token: "" };
  return to(course, first, ...begin, { do: "readPage", token: "" });
}

function watch(course: Course, resourceVersion: string, ...before: Effect[]): Step {
  const phase: Phase = { at: "watch", resourceVersion, alive: false, missed: 0, behind: 0 };
  return to(course, phase, ...before, { do: "openWatch", resourceVersion });
}

/** The watch is alive: it has just sent something. */
function watching(resourceVersion: string): Watching {
  return { at: "watch", resourceVersion, alive: true, missed: 0, behind: 0 };
}

function failed(course: Course, cause: TranslatorError): Course {
  return { ...course, failures: course.failures + 1, cause };
}

function healthy(course: Course): Course {
  return course.failures === 0 && course.cause === undefined
    ? course
    : { ...course, failures: 0, cause: undefined };
}

function backoff({ failures }: Course, error: TranslatorError): Effect {
  return { do: "wait", atLeast: believedRetryAfter(error), upTo: backoffLimit(failures) };
}

function endless(): TranslatorError {
  return new TranslatorError("KUBE_CONNECTION", "the list did not end in time");
}

function wentBack(): TranslatorError {
  return new TranslatorError("KUBE_PROTOCOL", "the cluster's store went back to an older state");
}

function to(course: Course, phase: Phase, ...effects: Effect[]): Step {
  return { state: { course, phase }, effects };
}

function stay(state: ReflectorState): Step {
  return { state, effects: [] };
}
