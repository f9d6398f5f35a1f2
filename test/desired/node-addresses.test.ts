import fc from "fast-check";
import { expect, test } from "vitest";
import { NodeAddresses, type NodeChoice } from "../../src/desired/node-addresses.ts";
import { nodeMark } from "../../src/store/node-mark.ts";

const choice: NodeChoice = {
  address: "InternalIP",
  family: "IPv4",
  maxNodes: 8,
  asker: "shop/web",
  only: undefined,
};

function nodes(numbers: Iterable<number>): NodeAddresses {
  const known = new NodeAddresses();
  for (const index of numbers) {
    const internalIPs = [`10.0.${index >> 8}.${index & 255}`, `fd00::${index.toString(16)}`];
    known.put("east", `n${index}`, { internalIPs, externalIPs: [`54.0.0.${index & 255}`], excluded: false });
  }
  return known;
}

const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 40 });

test("one Node more or less moves at most one entry, in whatever order they came", () => {
  fc.assert(
    fc.property(numbers, fc.integer({ min: 501, max: 1000 }), (some, more) => {
      const before = nodes(some).choose("east", choice);
      const after = nodes([more, ...some.toReversed()]).choose("east", choice);
      expect(before.length).toBe(Math.min(some.length, 8));
      expect(after.filter((host) => !before.includes(host)).length).toBeLessThanOrEqual(1);
      expect(before.filter((host) => !after.includes(host)).length).toBeLessThanOrEqual(1);
    }),
  );
});

test("two Services are given different Nodes, and together all Nodes get their share", () => {
  const known = nodes(Array.from({ length: 100 }, (_, index) => index + 1));
  const counts = new Map<string, number>();
  for (let service = 0; service < 500; service++) {
    for (const host of known.choose("east", { ...choice, asker: `shop/web-${service}` }))
      counts.set(host, (counts.get(host) ?? 0) + 1);
  }
  expect(counts.size).toBe(100);
  expect(Math.max(...counts.values())).toBeLessThan(3 * 40);
});

test("E9 addresses are those of the family and the type that are asked for, IPv6 in brackets", () => {
  const known = nodes([1]);
  expect(known.choose("east", { ...choice, family: "dual" })).toEqual(["10.0.0.1", "[fd00::1]"]);
  expect(known.choose("east", { ...choice, family: "IPv6" })).toEqual(["[fd00::1]"]);
  expect(known.choose("east", { ...choice, address: "ExternalIP" })).toEqual(["54.0.0.1"]);
  expect(known.choose("west", choice)).toEqual([]);
});

test("excluded Nodes and, where some are named, all others give nothing; what has left is forgotten", () => {
  const known = nodes([1, 2, 3]);
  known.put("east", "n2", { internalIPs: ["10.0.0.2"], externalIPs: [], excluded: true });
  expect(known.choose("east", choice)).toEqual(["10.0.0.1", "10.0.0.3"]);
  const only = new Set([nodeMark("n2"), nodeMark("n3"), 0]);
  expect(known.choose("east", { ...choice, only })).toEqual(["10.0.0.3"]);
  known.remove("east", "n3");
  expect(known.choose("east", { ...choice, only })).toEqual([]);
});
