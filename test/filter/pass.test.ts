import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Filter, type ObjectEvent } from "../../src/filter/pass.ts";
import { WireError } from "../../src/protobuf/wire-error.ts";
import { ObjectStore } from "../../src/store/object-store.ts";
import { packers, unpackEndpointSlice as unpackSlice } from "../../src/shard/pack.ts";
import type { Packed } from "../../src/store/projection.ts";
import { labelledPod, withValue, type Json } from "./labelled-pod.ts";

const key = { namespace: "prod-payments-0", name: "checkout-api-0-xk28tp47l8-jnc8t" };
const origin = { cluster: "east-1", session: 1, kind: "pods", key, at: 5 } as const;
const apply = (value: unknown): ObjectEvent => ({
  ...origin,
  type: "apply",
  listed: false,
  wire: { stamp: undefined, fingerprint: () => undefined, value: () => value },
});
const gone: ObjectEvent = { ...origin, type: "delete", relist: false };

function filled(): { filter: Filter; store: ObjectStore } {
  const store = new ObjectStore();
  const filter = new Filter({ store, packers, unpackSlice });
  filter.offer(apply(labelledPod()));
  return { filter, store };
}

const notReady = (): Json => labelledPod("flip");
const unlabelled = (): Json => withValue(labelledPod(), ["metadata", "labels"], {});
const malformed = (): Json => withValue(labelledPod(), ["status", "phase"], 7);

describe("Filter", () => {
  test("keeps what is new, with the key, the packed values and the time of the event", () => {
    const store = new ObjectStore();
    const verdict = new Filter({ store, packers, unpackSlice }).offer(apply(labelledPod()));
    const packed = store.get({ ...origin, ...key });
    expect(verdict).toEqual({
      kept: [{ type: "apply", cluster: "east-1", kind: "pods", ...key, packed, at: 5 }],
    });
    expect(packed).toBeDefined();
  });

  test("F2: drops noise as unchanged, and keeps one change of readiness once", () => {
    const { filter } = filled();
    expect(filter.offer(apply(labelledPod("noise")))).toEqual({ dropped: "unchanged" });
    expect(filter.offer(apply(notReady()))).toMatchObject({ kept: [{ type: "apply" }] });
    expect(filter.offer(apply(notReady()))).toEqual({ dropped: "unchanged" });
  });

  test("F2: a field that was absent and takes its default is unchanged", () => {
    const { filter } = filled();
    const explicit = withValue(
      labelledPod(),
      ["metadata", "annotations", "apisix-translator.io/paused"],
      "false",
    );
    expect(filter.offer(apply(explicit))).toEqual({ dropped: "unchanged" });
  });

  test("F1: where the consumed bytes are those that last came, nothing is decoded", () => {
    const { filter } = filled();
    let decoded = 0;
    const wired = (low: number, pod: Json): ObjectEvent => ({
      ...origin,
      type: "apply",
      listed: false,
      wire: {
        stamp: undefined,
        fingerprint: () => ({ low, high: -1 }),
        value() {
          decoded++;
          return pod;
        },
      },
    });
    const offered = (low: number, pod: Json): unknown => {
      const verdict = filter.offer(wired(low, pod));
      return "dropped" in verdict ? verdict.dropped : "kept";
    };
    expect(offered(1, labelledPod())).toBe("unchanged");
    expect(offered(1, labelledPod("noise"))).toBe("identical");
    expect(decoded).toBe(1);
    // The same content in another order has another fingerprint, and is known by it from then on.
    expect(offered(-2, labelledPod())).toBe("unchanged");
    expect([offered(-2, labelledPod()), offered(1, labelledPod())]).toEqual(["identical", "unchanged"]);
    expect(offered(3, notReady())).toBe("kept");
    expect(offered(3, notReady())).toBe("identical");
    // What came without a fingerprint says nothing of bytes that came before it.
    expect(filter.offer(apply(labelledPod()))).toMatchObject({ kept: [{ type: "apply" }] });
    expect(offered(3, notReady())).toBe("kept");
  });

  test("F1: of a kind whose generation tells, an equal one is dropped before any byte is looked at", () => {
    const { filter } = filled();
    let looks = 0;
    const stamped = (low: number, pod: Json): unknown => {
      const verdict = filter.offer({
        ...origin,
        type: "apply",
        listed: false,
        wire: {
          stamp: { low, high: 1 },
          fingerprint() {
            looks++;
            return { low: pod === flipped ? 2 : 1, high: 1 };
          },
          value: () => pod,
        },
      });
      return "dropped" in verdict ? verdict.dropped : "kept";
    };
    const [base, flipped] = [labelledPod(), notReady()];
    expect([stamped(1, base), stamped(1, base)]).toEqual(["unchanged", "generation"]);
    expect(looks).toBe(1);
    // Listed anew, the same object has another stamp.
    expect([stamped(2, base), stamped(2, base)]).toEqual(["identical", "generation"]);
    expect([stamped(3, flipped), stamped(3, flipped), stamped(2, base)]).toEqual([
      "kept",
      "generation",
      "kept",
    ]);
  });

  test("bytes that cannot be read are told to the watch, change nothing of what is held, and are not known by their marks", () => {
    const { filter, store } = filled();
    const held = store.get({ ...origin, ...key });
    const broken: ObjectEvent = {
      ...origin,
      type: "apply",
      listed: false,
      wire: {
        stamp: { low: 6, high: 6 },
        fingerprint: () => ({ low: 7, high: 7 }),
        value() {
          throw new WireError("a field is cut off");
        },
      },
    };
    for (const _turn of [1, 2]) {
      expect(() => filter.offer(broken)).toThrow("a field is cut off");
    }
    expect(store.get({ ...origin, ...key })).toEqual(held);
  });

  test("F6: deleted and made again unseen, with another uid: kept", () => {
    const { filter } = filled();
    const again = withValue(labelledPod(), ["metadata", "uid"], "another");
    expect(filter.offer(apply(again))).toMatchObject({ kept: [{ type: "apply" }] });
  });

  test("a delete of what is held is kept, once", () => {
    const { filter, store } = filled();
    expect(filter.offer(gone)).toEqual({
      kept: [{ type: "delete", cluster: "east-1", kind: "pods", ...key, at: 5 }],
    });
    expect(filter.offer(gone)).toEqual({ dropped: "absent" });
    expect(store.count("east-1", "pods")).toBe(0);
  });

  test("an object that stops opting in leaves as if deleted; one that never did is not seen", () => {
    const { filter } = filled();
    expect(filter.offer(apply(unlabelled()))).toMatchObject({ kept: [{ type: "delete" }] });
    expect(filter.offer(apply(unlabelled()))).toEqual({ dropped: "unselected" });
  });

  test("a malformed object is dropped with the field's name, and what is held stays", () => {
    const { filter, store } = filled();
    const held = store.get({ ...origin, ...key });
    expect(filter.offer(apply(malformed()))).toEqual({
      dropped: "malformed",
      reason: "status.phase is not a string",
    });
    expect(store.get({ ...origin, ...key })).toEqual(held);
    expect(filter.offer(apply(labelledPod()))).toEqual({ dropped: "unchanged" });
  });

  test("the word of a session that was replaced is stale", () => {
    const { filter } = filled();
    expect(filter.offer({ ...apply(notReady()), session: 2 })).toMatchObject({ kept: [{}] });
    expect(filter.offer(gone)).toEqual({ dropped: "stale" });
    expect(filter.offer({ ...gone, cluster: "west-1" })).toEqual({ dropped: "absent" });
  });

  test("a later stage that follows what is kept always holds what the store holds", () => {
    const any = fc.constantFrom(
      () => apply(labelledPod()),
      () => apply(notReady()),
      () => apply(unlabelled()),
      () => apply(malformed()),
      () => gone,
    );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 30 }), (events) => {
        const store = new ObjectStore();
        const filter = new Filter({ store, packers, unpackSlice });
        let held: Packed | undefined;
        for (const event of events) {
          const verdict = filter.offer(event());
          if (!("kept" in verdict)) continue;
          const [kept] = verdict.kept;
          expect(kept?.type === "apply" ? kept.packed : undefined).not.toEqual(held);
          held = kept?.type === "apply" ? kept.packed : undefined;
        }
        expect(store.get({ ...origin, ...key })).toEqual(held);
      }),
    );
  });
});
