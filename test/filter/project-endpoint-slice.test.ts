import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { projectEndpointSlice } from "../../src/filter/project-endpoint-slice.ts";
import { packers, unpackEndpointSlice } from "../../src/shard/pack.ts";
import { condition } from "../../src/store/projection.ts";
import type { EndpointSliceOptions, SliceEndpoint } from "../../src/sim/kubernetes/endpoint-slice.ts";
import { endpointSlice } from "../../src/sim/kubernetes/endpoint-slice.ts";

type Options = Partial<EndpointSliceOptions>;

const slice = (options: Options = {}): unknown =>
  JSON.parse(JSON.stringify(endpointSlice({ service: "web", endpoints: [{ ip: "10.0.0.1" }], ...options })));

function packed(value: unknown): string {
  const result = projectEndpointSlice(value);
  if (!result.ok) return result.reason;
  return result.enabled ? packers.endpointslices(result.projection) : "skipped";
}

const ofEndpoints = (...endpoints: SliceEndpoint[]): string => packed(slice({ endpoints }));

describe("the conditions of an endpoint", () => {
  test.each<[Omit<SliceEndpoint, "ip">, number]>([
    [{}, condition.ready],
    [{ ready: true, terminating: true }, condition.ready],
    [{ ready: true, serving: false }, condition.ready],
    [{ ready: false }, condition.notReady],
    [{ ready: false, serving: true, terminating: true }, condition.draining],
    [{ ready: false, terminating: true }, condition.draining],
    [{ ready: false, serving: false, terminating: true }, condition.out],
  ])("%j", (conditions, expected) => {
    const result = projectEndpointSlice(slice({ endpoints: [{ ip: "10.0.0.1", ...conditions }] }));
    expect(result.ok && [...result.projection.conditions]).toEqual([expected]);
  });

  test("F2: nil becomes its explicit default: nothing has changed", () => {
    expect(ofEndpoints({ ip: "10.0.0.1", ready: true, serving: true, terminating: false })).toBe(
      ofEndpoints({ ip: "10.0.0.1" }),
    );
    const bare = slice() as { endpoints: { conditions?: object }[] };
    delete bare.endpoints[0]!.conditions;
    expect(packed(bare)).toBe(packed(slice()));
  });

  test("F2: ready becomes not ready: it has", () => {
    expect(ofEndpoints({ ip: "10.0.0.1", ready: false })).not.toBe(ofEndpoints({ ip: "10.0.0.1" }));
  });
});

describe("what means nothing", () => {
  test("F3: the order of endpoints, of ports, of addresses after the first, and saying one twice", () => {
    const endpoint = fc.record({
      ip: fc.ipV4(),
      ready: fc.boolean(),
      nodeName: fc.constantFrom("n1", "n2", "n3"),
    });
    const ports = [
      { name: "http", port: 80 },
      { name: "admin", port: 81 },
    ];
    fc.assert(
      fc.property(fc.array(endpoint, { maxLength: 6 }), fc.infiniteStream(fc.nat()), (endpoints, order) => {
        const weight = new Map(endpoints.map((each) => [each, order.next().value]));
        const shuffled = [...endpoints].sort((a, b) => weight.get(a)! - weight.get(b)!);
        const again = slice({ endpoints: [...shuffled, ...endpoints], ports: [...ports].reverse() });
        expect(packed(again)).toBe(packed(slice({ endpoints, ports })));
      }),
    );
  });

  test("F1: annotations, managed fields, resourceVersion, zones, hints and what endpoints refer to", () => {
    const noisy = slice({ endpoints: [{ ip: "10.0.0.1", zone: "a", pod: "web-1" }] }) as {
      metadata: Record<string, unknown>;
    };
    Object.assign(noisy.metadata, { annotations: { a: "b" }, managedFields: [], resourceVersion: "9" });
    expect(packed(noisy)).toBe(packed(slice()));
  });

  test("only the first address of an endpoint means anything", () => {
    const two = slice() as { endpoints: { addresses: string[] }[] };
    two.endpoints[0]!.addresses.push("not an address");
    expect(packed(two)).toBe(packed(slice()));
  });

  test("E8: a port without a number is as if it were not there", () => {
    const nil = slice({ ports: [{ name: "http" }, { name: "admin", port: 81 }] });
    expect(packed(nil)).toBe(packed(slice({ ports: [{ name: "admin", port: 81 }] })));
  });
});

describe("slices that take no part", () => {
  test.each<[string, Options]>([
    ["E9: FQDN", { addressType: "FQDN", endpoints: [{ ip: "shop.example.com" }] }],
    ["no Service", { labels: { "kubernetes.io/service-name": "" } }],
    ["a mirror of another cluster's", { labels: { "multicluster.kubernetes.io/service-name": "web" } }],
  ])("%s", (_what, options) => expect(packed(slice(options))).toBe("skipped"));

  test("who wrote a slice does not matter", () => {
    expect(packed(slice({ labels: { "endpointslice.kubernetes.io/managed-by": "me" } }))).toBe(
      packed(slice()),
    );
  });
});

test("an address that is none of the slice's family makes the slice malformed", () => {
  expect(ofEndpoints({ ip: "10.0.0.1" }, { ip: "fd00::1" })).toBe(
    "endpoints[].addresses[] is not an IPv4 address",
  );
});

test("comes back from its bytes as it was, at 11 bytes an endpoint with its Node, 5 without", () => {
  const endpoints = Array.from({ length: 100 }, (_, index) => ({
    ip: `10.0.1.${index}`,
    nodeName: `n${index}`,
  }));
  const sizes = [endpoints, endpoints.map(({ ip }) => ({ ip })), []].map((some) => {
    const result = projectEndpointSlice(slice({ endpoints: some }));
    if (!result.ok) throw new Error(result.reason);
    const text = packers.endpointslices(result.projection);
    const back = unpackEndpointSlice(text);
    expect(JSON.stringify(back)).toBe(JSON.stringify(result.projection));
    return text.length;
  });
  expect(sizes[0]! - sizes[2]!).toBeLessThan(1100 + 10);
  expect(sizes[1]! - sizes[2]!).toBeLessThan(500 + 10);
});
