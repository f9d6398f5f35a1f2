import { expect, test } from "vitest";
import { serviceEndpoints } from "../../src/desired/service-endpoints.ts";
import { condition, type EndpointSliceProjection } from "../../src/store/projection.ts";

type Condition = keyof typeof condition;
const choice = { port: "", family: "IPv4", publishNotReady: false } as const;

/** Last numbers of addresses, with their conditions. */
function slice(endpoints: Readonly<Record<number, Condition>>, vanished = false): EndpointSliceProjection {
  const rows = Object.entries(endpoints);
  return {
    ...{ service: "web", family: "IPv4", ports: [["", 8080]], nodes: new Uint8Array(), vanished },
    addresses: Uint8Array.from(rows.flatMap(([number]) => [10, 0, 0, Number(number)])),
    conditions: Uint8Array.from(rows, ([, word]) => condition[word]),
  };
}

function vanished(endpoints: Readonly<Record<number, Condition>>): EndpointSliceProjection {
  return slice(endpoints, true);
}

/** Last numbers of the addresses that take traffic. */
function taking(slices: readonly EndpointSliceProjection[], publishNotReady = false): number[] {
  const endpoints = serviceEndpoints(slices, { ...choice, publishNotReady });
  return endpoints.map(({ host }) => Number(host.split(".").at(-1))).toSorted((a, b) => a - b);
}

test("what was ready and has vanished keeps nobody from standing in for it", () => {
  expect(taking([slice({ 1: "draining", 3: "out" }), vanished({ 2: "ready" })])).toEqual([1, 2]);
  expect(taking([vanished({ 2: "ready" }), slice({ 1: "draining" })])).toEqual([1, 2]);
  expect(taking([slice({ 1: "draining" }), vanished({ 2: "notReady" })], true)).toEqual([1, 2]);
  expect(taking([slice({ 1: "draining" }), vanished({ 2: "notReady" })])).toEqual([1]);
  expect(taking([vanished({ 2: "ready" }), vanished({ 1: "draining" })])).toEqual([1, 2]);
});

test("nobody stands in while one that is there is ready", () => {
  const draining = slice({ 1: "draining" });
  expect(taking([draining, slice({ 3: "ready" }), vanished({ 2: "ready" })])).toEqual([2, 3]);
  expect(taking([draining, slice({ 2: "ready" }), vanished({ 2: "ready" })])).toEqual([2]);
  expect(taking([draining, slice({ 2: "out" }), vanished({ 2: "ready" })])).toEqual([1]);
});
