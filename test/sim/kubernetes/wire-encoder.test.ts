import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endpointSlice } from "../../../src/sim/kubernetes/endpoint-slice.ts";
import { pod, withReady } from "../../../src/sim/kubernetes/pod.ts";
import { resourceRows } from "../../../src/sim/kubernetes/resources.ts";
import { jsonEncoder } from "../../../src/sim/kubernetes/wire-encoder.ts";

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

describe("jsonEncoder", () => {
  it("writes what JSON.stringify would, for any object and each of its versions", () => {
    const names = fc.string({ unit: "binary" });
    const parts = fc.record(
      {
        labels: fc.dictionary(names, names),
        port: fc.nat(65_535),
        ready: fc.boolean(),
        sidecar: fc.boolean(),
      },
      { requiredKeys: ["port", "ready"] },
    );
    fc.assert(
      fc.property(parts, ({ labels, port, ready, sidecar }) => {
        const first = pod({
          name: "web-0",
          ready,
          ports: [{ containerPort: port }],
          ...(labels === undefined ? {} : { labels }),
          ...(sidecar === true ? { sidecarPorts: [{ name: "admin", containerPort: 9000 }] } : {}),
        });
        for (const object of [first, withReady(first, !ready)]) {
          const whole = { kind: "Pod", apiVersion: "v1", ...object };
          const frame = jsonEncoder.frame("MODIFIED", resourceRows.pods, object);
          expect(text(frame)).toBe(`${JSON.stringify({ type: "MODIFIED", object: whole })}\n`);
        }
      }),
    );
  });

  it("leaves out what is undefined and takes kinds with fields of their own", () => {
    const slice = endpointSlice({ service: "web", endpoints: [{ ip: "10.0.0.1", ready: true }] });
    const withUndefined: typeof slice & { readonly extra: undefined } = { ...slice, extra: undefined };
    const bytes = jsonEncoder.object(resourceRows.endpointslices, withUndefined);
    const head = { kind: "EndpointSlice", apiVersion: "discovery.k8s.io/v1" };
    expect(text(bytes)).toBe(`${JSON.stringify({ ...head, ...slice })}\n`);
  });

  it("writes large lists in pieces that make one document", () => {
    const items = Array.from({ length: 100 }, (_, index) => pod({ name: `web-${index}` }));
    const pieces = [...jsonEncoder.list(resourceRows.pods, { resourceVersion: "7" }, items)];
    expect(pieces.length).toBeGreaterThan(2);
    const list = JSON.parse(pieces.map(text).join("")) as unknown;
    const metadata = { resourceVersion: "7" };
    expect(list).toEqual({
      kind: "PodList",
      apiVersion: "v1",
      metadata,
      items: JSON.parse(JSON.stringify(items)),
    });
  });
});
