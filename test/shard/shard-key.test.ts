import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shardOf } from "../../src/shard/shard-key.ts";

const place = fc.record({ cluster: fc.string(), namespace: fc.string() });

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

  it("by service, brings a namespace of all clusters into one shard", () => {
    fc.assert(
      fc.property(place, fc.string(), (key, cluster) => {
        expect(shardOf({ ...key, cluster }, 8, "service")).toBe(shardOf(key, 8, "service"));
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

  it.each([2, 3, 4, 8])("spreads numbered names evenly over %i shards", (count) => {
    const sizes = Array.from({ length: count }, () => 0);
    for (let index = 0; index < 4000; index++) {
      const shard = shardOf({ cluster: "", namespace: `team-${index}` }, count, "service");
      sizes[shard] = (sizes[shard] ?? 0) + 1;
    }
    for (const size of sizes) expect(Math.abs(size - 4000 / count)).toBeLessThan((4000 / count) * 0.15);
  });
});
