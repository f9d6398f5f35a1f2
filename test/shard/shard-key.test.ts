import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SourceKind } from "../../src/declare/declaration.ts";
import { placeOf, shardOf } from "../../src/shard/shard-key.ts";

const text = fc.string();
const kind = fc.constantFrom<SourceKind>("pod", "service");
const place = fc.record({ cluster: text, kind, namespace: text, name: text });

describe("shardOf", () => {
  it("names a shard that exists, always the same", () => {
    fc.assert(
      fc.property(
        place,
        fc.integer({ min: 1, max: 64 }),
        fc.constantFrom("service", "cluster"),
        (key, count, by) => {
          const shard = shardOf(key, count, by);
          expect(Number.isInteger(shard) && shard >= 0 && shard < count).toBe(true);
          expect(shardOf({ ...key }, count, by)).toBe(shard);
        },
      ),
    );
  });

  it("by service, brings the Pods of a namespace, and a Service of one name, of all clusters into one shard", () => {
    fc.assert(
      fc.property(place, fc.string(), fc.string(), (key, cluster, name) => {
        const other = { ...key, cluster, name: key.kind === "pod" ? name : key.name };
        expect(shardOf(other, 8, "service")).toBe(shardOf(key, 8, "service"));
      }),
    );
  });

  it.each(["service", "cluster"] as const)("by %s, a Service and its slices meet in one shard", (by) => {
    fc.assert(
      fc.property(text, text, text, text, (cluster, namespace, service, name) => {
        const source = placeOf({ cluster, kind: "services", namespace, name: service })!;
        const slice = placeOf({ cluster, kind: "endpointslices", namespace, service, name })!;
        expect(shardOf(slice, 8, by)).toBe(shardOf(source, 8, by));
      }),
    );
  });

  it("by cluster, keeps a cluster in one shard", () => {
    fc.assert(
      fc.property(place, fc.string(), (key, namespace) => {
        expect(shardOf({ ...key, namespace }, 8, "cluster")).toBe(shardOf(key, 8, "cluster"));
      }),
    );
  });

  it.each(
    [2, 3, 4, 8].flatMap(
      (count) =>
        [
          [count, "pod"],
          [count, "service"],
        ] as const,
    ),
  )("spreads numbered names evenly over %i shards: %s", (count, one) => {
    const sizes = Array.from({ length: count }, () => 0);
    for (let index = 0; index < 4000; index++) {
      const names =
        one === "pod"
          ? { namespace: `team-${index}`, name: "" }
          : { namespace: "shop", name: `web-${index}` };
      const shard = shardOf({ cluster: "", kind: one, ...names }, count, "service");
      sizes[shard] = (sizes[shard] ?? 0) + 1;
    }
    for (const size of sizes) expect(Math.abs(size - 4000 / count)).toBeLessThan((4000 / count) * 0.15);
  });
});
