import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ClusterStore } from "../../../src/sim/kubernetes/cluster-store.ts";
import type { StoreEvent } from "../../../src/sim/kubernetes/kind-store.ts";
import { objectKey, type KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import { HybridClock } from "./hybrid-clock.ts";

function newStore(historyLength = 1000): ClusterStore {
  return new ClusterStore({ clock: new HybridClock(), random: () => 0.5, historyLength });
}

type Step = readonly ["apply" | "remove" | "noise", number];
const steps = fc.array(
  fc.tuple(
    fc.constantFrom("apply" as const, "remove" as const, "noise" as const),
    fc.integer({ min: 0, max: 4 }),
  ),
  { maxLength: 40 },
);

/** Takes a step where it is possible. */
function take(store: ClusterStore, [action, index]: Step): void {
  const key = `shop/web-${index}`;
  if (action === "apply") store.apply("pods", pod({ namespace: "shop", name: `web-${index}` }));
  else if (store.get("pods", key) === undefined) return;
  else if (action === "remove") store.remove("pods", key);
  else store.bumpNoise("pods", key);
}

function state(objects: readonly KubeObject[]): string[] {
  return objects.map((object) => `${objectKey(object)}@${object.metadata.resourceVersion}`).sort();
}

describe("ClusterStore", () => {
  it("tells every past state that it has not forgotten, and refuses the others", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 12 }), (actions, historyLength) => {
        const store = newStore(historyLength);
        const past = [{ revision: store.revision, state: state(store.values("pods")) }];
        for (const action of actions) {
          take(store, action);
          past.push({ revision: store.revision, state: state(store.values("pods")) });
        }
        const revisions = new Set(past.map(({ revision }) => revision)).size;
        let told = 0;
        for (const { revision, state: wanted } of past) {
          const objects = store.kind("pods").at(revision);
          if (objects === undefined) continue;
          expect(state(objects)).toEqual(wanted);
          told += 1;
        }
        expect(told).toBeGreaterThanOrEqual(Math.min(revisions, historyLength));
      }),
    );
  });

  it("tells events since a revision that lead from the state then to the state now", () => {
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        const store = newStore();
        for (const action of before) take(store, action);
        const from = store.revision;
        const objects = new Map(store.values("pods").map((object) => [objectKey(object), object]));
        for (const action of after) take(store, action);
        for (const event of store.kind("pods").since(from) ?? []) {
          expect(event.revision).toBeGreaterThan(from);
          expect(objects.has(event.key)).toBe(event.type !== "ADDED");
          if (event.type === "DELETED") objects.delete(event.key);
          else objects.set(event.key, event.object);
        }
        expect(state([...objects.values()])).toEqual(state(store.values("pods")));
      }),
    );
  });

  it("gives each write a higher resourceVersion and keeps uid and creation time over updates", () => {
    const store = newStore();
    const events: StoreEvent[] = [];
    const stop = store.subscribe({ event: (event) => void events.push(event), reset() {} });
    const created = store.create("pods", pod({ name: "web-0" }));
    const updated = store.update("pods", pod({ name: "web-0", uid: "other", ready: false }));
    store.remove("pods", "default/web-0");
    const again = store.create("pods", pod({ name: "web-0" }));
    stop();
    store.bumpNoise("pods", "default/web-0");
    expect(events.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED", "ADDED"]);
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(updated.metadata).toMatchObject({
      uid: created.metadata.uid,
      creationTimestamp: created.metadata.creationTimestamp,
    });
    expect(again.metadata.uid).not.toBe(created.metadata.uid);
  });

  it("moves nothing but resourceVersion and managedFields by noise", () => {
    const store = newStore();
    const before = store.create("pods", pod({ name: "web-0" }));
    const after = store.bumpNoise("pods", "default/web-0");
    expect(after.metadata.managedFields).not.toEqual(before.metadata.managedFields);
    const { resourceVersion: _a, managedFields: _b, ...metadataBefore } = before.metadata;
    const { resourceVersion, managedFields: _d, ...metadataAfter } = after.metadata;
    expect(resourceVersion).not.toBe(before.metadata.resourceVersion);
    expect({ ...after, metadata: metadataAfter }).toEqual({ ...before, metadata: metadataBefore });
  });

  it("forgets the past of one kind by compact, not of others", () => {
    const store = newStore();
    const from = store.revision;
    store.create("pods", pod({ name: "web-0" }));
    store.create("nodes", { metadata: { name: "node-1" } });
    store.compact("pods");
    expect(store.kind("pods").since(from)).toBeUndefined();
    expect(store.kind("pods").since(store.revision)).toEqual([]);
    expect(store.kind("nodes").since(from)).toHaveLength(1);
  });

  it("throws for writes that an API server would refuse", () => {
    const store = newStore();
    expect(() => store.remove("pods", "default/web-0")).toThrow("is not there");
    store.create("pods", pod({ name: "web-0" }));
    expect(() => store.create("pods", pod({ name: "web-0" }))).toThrow("already exists");
  });
});
