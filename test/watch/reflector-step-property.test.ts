import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TranslatorError } from "../../src/errors.ts";
import { initialState, overdueRuns, type Effect, type Input } from "../../src/watch/reflector-state.ts";
import { step } from "../../src/watch/reflector-step.ts";

const broken = new TranslatorError("KUBE_CONNECTION", "broken");
const nonsense = new TranslatorError("KUBE_PROTOCOL", "nonsense");
const status = (code: number): TranslatorError =>
  new TranslatorError("KUBE_STATUS", `status ${code}`, { status: code });
const names = (effects: readonly Effect[]): string[] => effects.map((effect) => effect.do);

const version = fc.nat(200).map(String);
const anyError = fc.oneof(
  fc.constantFrom(broken, nonsense),
  fc.constantFrom(400, 401, 403, 410, 422, 429, 500, 503).map((code) => status(code)),
);
const anyInput: fc.Arbitrary<Input> = fc.oneof(
  fc.constantFrom<Input>(
    { type: "start" },
    { type: "waited" },
    { type: "swept" },
    { type: "alive" },
    { type: "silent" },
    { type: "tooLong" },
    { type: "overdue" },
  ),
  fc.record({
    type: fc.constant("page" as const),
    resourceVersion: version,
    token: fc.constantFrom("", "a", "b"),
  }),
  fc.record({ type: fc.constant("event" as const), resourceVersion: version }),
  fc.record({ type: fc.constant("bookmark" as const), resourceVersion: version, initialEnd: fc.boolean() }),
  fc.record({ type: fc.constant("closed" as const), early: fc.boolean() }),
  fc.record({ type: fc.constant("failed" as const), error: anyError }),
  fc.record({ type: fc.constant("probed" as const), resourceVersion: version, asOf: version }),
  fc.record({ type: fc.constant("probeFailed" as const), error: anyError }),
);

describe("whatever happens", () => {
  test("a sweep follows only the last page or the end of the initial events, and synced only a sweep", () => {
    fc.assert(
      fc.property(fc.array(anyInput, { maxLength: 60 }), (inputs) => {
        let state = initialState;
        for (const input of inputs) {
          const { phase } = state;
          const next = step(state, input);
          const did = names(next.effects);
          if (did.includes("sweep")) {
            const complete =
              (phase.at === "pages" && input.type === "page" && input.token === "") ||
              (phase.at === "initial" && input.type === "bookmark" && input.initialEnd);
            expect(complete).toBe(true);
          }
          if (did.includes("saySynced")) expect([phase.at, input.type]).toEqual(["sweep", "swept"]);
          if (state.course.health === "degraded" && next.state.course.health === "synced") {
            expect(did).toContain("saySynced");
          }
          state = next.state;
        }
      }),
    );
  });

  test("something is always under way: a request, a sweep or a wait", () => {
    fc.assert(
      fc.property(fc.array(anyInput, { maxLength: 60 }), (inputs) => {
        let state = step(initialState, { type: "start" }).state;
        for (const input of inputs) {
          const before = state.phase.at;
          const { state: next, effects } = step(state, input);
          const did = names(effects);
          const starts = did.some((what) => /^(?:readPage|open|sweep|wait)/.test(what));
          if (did.includes("hangUp")) expect(starts).toBe(true);
          if (next.phase.at !== before && !(before === "sweep" && next.phase.at === "watch"))
            expect(starts).toBe(true);
          expect(overdueRuns(next) && next.course.health !== "synced").toBe(false);
          state = next;
        }
      }),
    );
  });

  test("after stop nothing is done any more", () => {
    fc.assert(
      fc.property(
        fc.array(anyInput, { maxLength: 20 }),
        fc.array(anyInput, { maxLength: 20 }),
        (before, inputs) => {
          let state = initialState;
          for (const input of before) state = step(state, input).state;
          state = step(state, { type: "stop" }).state;
          for (const input of inputs) expect(step(state, input)).toEqual({ state, effects: [] });
        },
      ),
    );
  });
});
