import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOfText, byteText } from "../../src/store/byte-text.ts";
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
    store.put(key("a"), "\x01");
    expect(store.get(key("a"))).toEqual("\x01");
    expect(store.get(key("a", "other"))).toBeUndefined();
    expect(store.get(key("a", "shop", "west-1"))).toBeUndefined();
    expect(store.get({ ...key("a"), kind: "services" })).toBeUndefined();
  });

  test("lists one kind of one cluster", () => {
    const store = new ObjectStore();
    store.put(key("a"), "\x01");
    store.put(key("b", "other"), "\x02");
    store.put(key("c", "shop", "west-1"), "\x03");
    expect([...store.objects("east-1", "pods")]).toEqual([
      { namespace: "shop", name: "a", packed: "\x01" },
      { namespace: "other", name: "b", packed: "\x02" },
    ]);
    expect([...store.objects("nowhere", "pods")]).toEqual([]);
    expect([...store.clusters()]).toEqual(["east-1", "west-1"]);
  });

  test("says whether a deleted object was there", () => {
    const store = new ObjectStore();
    store.put(key("a"), "\x01");
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
          if (put) store.put(key(name, namespace), "\xff".repeat(length));
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

test("what is put is got as it was, whatever its bytes and its marks", () => {
  const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  const mark = fc.option(fc.record({ low: word, high: word }), { nil: undefined });
  fc.assert(
    fc.property(fc.uint8Array(), mark, mark, (bytes, stamp, fingerprint) => {
      const store = new ObjectStore();
      const packed = byteText(bytes);
      expect(store.put(key("a"), packed, { stamp, fingerprint })).toBe(packed);
      expect(bytesOfText(store.get(key("a")) ?? "")).toEqual(bytes);
      const isKnown = stamp !== undefined && (stamp.low !== 0 || stamp.high !== 0);
      if (isKnown) expect(store.isMarked(key("a"), "stamp", stamp)).toBe(true);
      expect(store.isMarked(key("a"), "fingerprint", { low: 1, high: 2 })).toBe(
        fingerprint?.low === 1 && fingerprint.high === 2,
      );
    }),
  );
  const large = byteText(new Uint8Array(100_000).fill(200));
  const store = new ObjectStore();
  expect(store.put(key("a"), large)).toBe(large);
});
