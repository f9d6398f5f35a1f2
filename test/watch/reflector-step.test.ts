import { describe, expect, test } from "vitest";
import { TranslatorError } from "../../src/errors.ts";
import {
  type Course,
  type Effect,
  type Input,
  type Phase,
  type ReflectorState,
} from "../../src/watch/reflector-state.ts";
import { step } from "../../src/watch/reflector-step.ts";

const calm: Course = { health: "synced", failures: 0, pagesOnly: false, cause: undefined };
const watching: Phase = { at: "watch", resourceVersion: "50", alive: true, missed: 0, behind: 0 };
const opening: Phase = { ...watching, alive: false };

const broken = new TranslatorError("KUBE_CONNECTION", "broken");
const status = (code: number, retryAfter?: number): TranslatorError =>
  new TranslatorError("KUBE_STATUS", `status ${code}`, {
    status: code,
    ...(retryAfter ? { retryAfter } : {}),
  });
const nonsense = new TranslatorError("KUBE_PROTOCOL", "nonsense");

function after(
  phase: Phase,
  course: Partial<Course>,
  ...inputs: Input[]
): { state: ReflectorState; did: Effect[] } {
  let state: ReflectorState = { course: { ...calm, ...course }, phase };
  const did: Effect[] = [];
  for (const input of inputs) {
    const next = step(state, input);
    state = next.state;
    did.push(...next.effects);
  }
  return { state, did };
}

const names = (effects: readonly Effect[]): string[] => effects.map((effect) => effect.do);

describe("a list", () => {
  test("starts as WatchList and ends in an alive watch on the same stream", () => {
    const { state, did } = after(
      { at: "idle" },
      { health: "listing" },
      { type: "start" },
      { type: "event", resourceVersion: "7" },
      { type: "bookmark", resourceVersion: "9", initialEnd: true },
      { type: "swept" },
    );
    expect(names(did)).toEqual(["beginList", "openWatchList", "sweep", "saySynced"]);
    expect(state.phase).toEqual({ at: "watch", resourceVersion: "9", alive: true, missed: 0, behind: 0 });
    expect(state.course.health).toBe("synced");
  });

  test("in pages is watched from the first page's resourceVersion", () => {
    const { did } = after(
      { at: "idle" },
      { pagesOnly: true },
      { type: "start" },
      { type: "page", resourceVersion: "9", token: "a" },
      { type: "page", resourceVersion: "12", token: "" },
      { type: "swept" },
    );
    expect(did).toEqual([
      { do: "beginList" },
      { do: "readPage", token: "" },
      { do: "readPage", token: "a" },
      { do: "sweep" },
      { do: "saySynced" },
      { do: "openWatch", resourceVersion: "9" },
    ]);
  });

  test.each([
    ["400", status(400)],
    ["403", status(403)],
    ["410", status(410)],
    ["422", status(422)],
  ])("as WatchList that is answered %s goes on in pages at once", (_what, error) => {
    const { state, did } = after({ at: "initial" }, { health: "listing" }, { type: "failed", error });
    expect(names(did)).toEqual(["hangUp", "beginList", "readPage"]);
    expect(state.course).toMatchObject({ pagesOnly: true, health: "listing" });
  });

  test("as WatchList that sends a plain bookmark first goes on in pages: the server does not know it", () => {
    const bookmark: Input = { type: "bookmark", resourceVersion: "9", initialEnd: false };
    expect(names(after({ at: "initial" }, {}, bookmark).did)).toEqual(["hangUp", "beginList", "readPage"]);
  });

  test.each([
    ["a connection error", { type: "failed", error: broken }],
    ["500", { type: "failed", error: status(500) }],
    ["nonsense", { type: "failed", error: nonsense }],
    ["a clean end before it was complete", { type: "closed", early: false }],
    ["no end", { type: "tooLong" }],
  ] as const)("as WatchList that meets %s degrades, waits and lists again", (_what, input) => {
    const { state, did } = after({ at: "initial" }, {}, input);
    expect(names(did)).toEqual(["hangUp", "sayDegraded", "wait"]);
    expect(state.phase).toEqual({ at: "wait", next: "list" });
  });

  test.each([
    ["401", status(401)],
    ["403", status(403)],
    ["410", status(410)],
    ["500", status(500)],
    ["a connection error", broken],
    ["nonsense", nonsense],
  ])("in pages that meets %s on page 2 degrades and starts from page 1 after a wait", (_what, error) => {
    const page2: Phase = { at: "pages", page: 2, resourceVersion: "9", token: "a" };
    const { state, did } = after(page2, { pagesOnly: true }, { type: "failed", error }, { type: "waited" });
    expect(names(did)).toEqual(["hangUp", "sayDegraded", "wait", "beginList", "readPage"]);
    expect(state.phase).toEqual({ at: "pages", page: 1, resourceVersion: "", token: "" });
  });

  test("that fails again says so once, and waits 0.8 s, doubled up to 30 s", () => {
    let state: ReflectorState = { course: { ...calm, pagesOnly: true }, phase: { at: "wait", next: "list" } };
    const waits: number[] = [];
    let degraded = 0;
    for (let index = 0; index < 8; index++) {
      state = step(state, { type: "waited" }).state;
      const failed = step(state, { type: "failed", error: broken });
      state = failed.state;
      for (const effect of failed.effects) {
        if (effect.do === "wait") waits.push(effect.upTo);
        if (effect.do === "sayDegraded") degraded++;
      }
    }
    expect(waits).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    expect(degraded).toBe(1);
  });

  test("honours Retry-After, but not for more than a minute", () => {
    const wait = (retryAfter: number): Effect | undefined =>
      after(watching, {}, { type: "failed", error: status(429, retryAfter) }).did.find(
        ({ do: what }) => what === "wait",
      );
    expect(wait(7_000)).toEqual({ do: "wait", atLeast: 7_000, upTo: 800 });
    expect(wait(86_400_000)).toEqual({ do: "wait", atLeast: 60_000, upTo: 800 });
  });
});

describe("a watch", () => {
  test.each([
    ["429", status(429)],
    ["500", status(500)],
    ["503", status(503)],
    ["a connection error", broken],
    ["a credential that cannot be had", new TranslatorError("KUBE_CREDENTIALS", "no token")],
  ])("that meets %s is resumed at its resourceVersion after a wait", (_what, error) => {
    const { did } = after(watching, {}, { type: "failed", error }, { type: "waited" });
    expect(names(did)).toEqual(["hangUp", "wait", "openWatch"]);
    expect(did.at(-1)).toEqual({ do: "openWatch", resourceVersion: "50" });
  });

  test.each([
    ["410", status(410)],
    ["400", status(400)],
    ["401", status(401)],
    ["403", status(403)],
    ["nonsense", nonsense],
  ])("that meets %s is followed by a list at once, and stays synced until that fails", (_what, error) => {
    const { state, did } = after(watching, {}, { type: "failed", error });
    expect(names(did)).toEqual(["hangUp", "beginList", "openWatchList"]);
    expect(state.course.health).toBe("synced");
  });

  test("that meets 410 again before it lived lists after a wait", () => {
    expect(names(after(opening, { failures: 1 }, { type: "failed", error: status(410) }).did)).toEqual([
      "hangUp",
      "wait",
    ]);
  });

  test("that ends in order is opened again at once; within a second and unheard after a wait", () => {
    expect(names(after(watching, {}, { type: "closed", early: false }).did)).toEqual(["openWatch"]);
    expect(names(after(opening, {}, { type: "closed", early: true }).did)).toEqual(["hangUp", "wait"]);
  });

  test("moves on with events and bookmarks, which end a row of failures", () => {
    const { state } = after(
      opening,
      { failures: 3, cause: broken },
      { type: "event", resourceVersion: "51" },
      { type: "bookmark", resourceVersion: "60", initialEnd: false },
    );
    expect(state).toEqual({ course: calm, phase: { ...watching, resourceVersion: "60" } });
  });

  test("whose resourceVersion goes down is followed by a list", () => {
    expect(names(after(watching, {}, { type: "event", resourceVersion: "9" }).did)).toContain(
      "openWatchList",
    );
  });

  test("is left for a list when a probe says that the store went back, by what it knew when the probe was sent", () => {
    const probed = (resourceVersion: string, asOf: string): string[] =>
      names(after(watching, {}, { type: "probed", resourceVersion, asOf }).did);
    expect(probed("49", "50")).toEqual(["hangUp", "beginList", "openWatchList"]);
    expect(probed("49", "48")).toEqual([]);
    expect(probed("100", "50")).toEqual([]);
    expect(probed("opaque", "50")).toEqual([]);
  });

  test("is opened again when two probes in a row fail, and not when an event came between", () => {
    const miss: Input = { type: "probeFailed", error: broken };
    expect(names(after(watching, {}, miss, miss).did)).toEqual(["hangUp", "wait"]);
    expect(after(watching, {}, miss, { type: "event", resourceVersion: "51" }, miss).did).toEqual([]);
    expect(
      after(watching, {}, miss, { type: "probed", resourceVersion: "50", asOf: "50" }, miss).did,
    ).toEqual([]);
  });

  test("that sends nothing while seven probes find the store ahead is opened again", () => {
    const ahead: Input = { type: "probed", resourceVersion: "60", asOf: "50" };
    const six = Array.from({ length: 6 }, () => ahead);
    expect(after(watching, {}, ...six).did).toEqual([]);
    expect(names(after(watching, {}, ...six, ahead).did)).toEqual(["hangUp", "wait"]);
    expect(after(watching, {}, ...six, { type: "event", resourceVersion: "51" }, ahead).did).toEqual([]);
  });

  test("that is not alive for 30 s degrades and is followed by a list", () => {
    expect(names(after(opening, {}, { type: "overdue" }).did)).toEqual([
      "sayDegraded",
      "hangUp",
      "beginList",
      "openWatchList",
    ]);
    const waiting: Phase = { at: "wait", next: "watch", resourceVersion: "50" };
    const { state, did } = after(waiting, { cause: broken }, { type: "overdue" });
    expect(names(did)).toEqual(["sayDegraded"]);
    expect(state.phase).toEqual({ at: "wait", next: "list" });
    expect(did[0]).toMatchObject({ error: { message: "no watch could be opened for 30 s: broken" } });
  });
});
