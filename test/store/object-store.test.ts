import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ObjectStore, type StoreKey } from "../../src/store/object-store.ts";

const key = (name: string, namespace = "shop", cluster = "east-1"): StoreKey => ({
  cluster,
  kind: "pods",
  namespace,
  name,
});

describe("ObjectStore", () => {
  test("keeps clusters, kinds and namespaces apart", () => {
    const store = new ObjectStore();
    store.put(key("a"), Uint8Array.of(1));
    expect(store.get(key("a"))).toEqual(Uint8Array.of(1));
    expect(store.get(key("a", "other"))).toBeUndefined();
    expect(store.get(key("a", "shop", "west-1"))).toBeUndefined();
    expect(store.get({ ...key("a"), kind: "services" })).toBeUndefined();
  });

  test("lists one kind of one cluster", () => {
    const store = new ObjectStore();
    store.put(key("a"), Uint8Array.of(1));
    store.put(key("b", "other"), Uint8Array.of(2));
    store.put(key("c", "shop", "west-1"), Uint8Array.of(3));
    expect([...store.objects("east-1", "pods")]).toEqual([
      { namespace: "shop", name: "a", packed: Uint8Array.of(1) },
      { namespace: "other", name: "b", packed: Uint8Array.of(2) },
    ]);
    expect([...store.objects("nowhere", "pods")]).toEqual([]);
    expect([...store.clusters()]).toEqual(["east-1", "west-1"]);
  });

  test("says whether a deleted object was there", () => {
    const store = new ObjectStore();
    store.put(key("a"), Uint8Array.of(1));
    expect(store.delete(key("b"))).toBe(false);
    expect(store.delete(key("a"))).toBe(true);
    expect(store.delete(key("a"))).toBe(false);
  });

  test("counts objects and bytes as a plain map would, whatever is put and deleted", () => {
    const act = fc.record({
      put: fc.boolean(),
      name: fc.constantFrom("a", "b", "c"),
      namespace: fc.constantFrom("shop", "other"),
      length: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(act), (acts) => {
        const store = new ObjectStore();
        const model = new Map<string, number>();
        for (const { put, name, namespace, length } of acts) {
          if (put) store.put(key(name, namespace), new Uint8Array(length));
          else store.delete(key(name, namespace));
          if (put) model.set(`${namespace}/${name}`, length);
          else model.delete(`${namespace}/${name}`);
        }
        expect(store.count("east-1", "pods")).toBe(model.size);
        expect(store.bytes).toBe([...model.values()].reduce((sum, length) => sum + length + 16, 0));
        expect([...store.objects("east-1", "pods")]).toHaveLength(model.size);
      }),
    );
  });
});
