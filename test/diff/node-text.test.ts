import {
  array,
  assert,
  constant,
  integer,
  oneof,
  property,
  record,
  string,
  type Arbitrary,
} from "fast-check";
import { expect, test } from "vitest";
import type { UpstreamNode } from "../../src/apisix/types.ts";
import { nodesOfText, nodeText } from "../../src/diff/node-text.ts";

const metadata = oneof(record({ cluster: string() }), record({ cluster: string(), name: string() }));
const bare = record({ host: string(), port: integer(), weight: integer({ min: 0, max: 2 }) });
const node: Arbitrary<UpstreamNode> = oneof(
  bare,
  record({ host: string(), port: constant(80), weight: constant(100), metadata }),
);

test("nodes come back as they were, whatever their hosts and owners are", () => {
  assert(
    property(array(node), (nodes) => {
      expect(nodesOfText(nodeText(nodes))).toEqual(nodes);
    }),
  );
});

test("equal nodes have equal texts, also where they are objects of their own", () => {
  const nodes = [{ host: "10.0.0.1", port: 80, weight: 100, metadata: { cluster: "a" } }];
  expect(nodeText(structuredClone(nodes))).toBe(nodeText(nodes));
});

test("one that differs in one value alone has another text", () => {
  const one: UpstreamNode = {
    host: "10.0.0.1",
    port: 80,
    weight: 100,
    metadata: { cluster: "a", name: "b" },
  };
  const others: UpstreamNode[] = [
    { ...one, host: "10.0.0.2" },
    { ...one, port: 81 },
    { ...one, weight: 0 },
    { ...one, metadata: { cluster: "a" } },
    { ...one, metadata: { cluster: "b", name: "b" } },
    { host: one.host, port: one.port, weight: one.weight },
  ];
  const texts = [one, ...others].map((each) => nodeText([each, each]));
  expect(new Set(texts).size).toBe(texts.length);
});

test("what many nodes have in common stands in the text once", () => {
  const nodes = Array.from({ length: 10 }, (_, at) => ({ host: `10.0.0.${at}`, port: 8080, weight: 100 }));
  expect(nodeText(nodes).match(/8080/g)).toHaveLength(1);
});
