import { describe, expect, it } from "vitest";
import { endpointSlice, withEndpoints } from "../../../src/sim/kubernetes/endpoint-slice.ts";
import { node } from "../../../src/sim/kubernetes/node.ts";
import {
  withAnnotations,
  withDeletion,
  withLabels,
  withRoutes,
} from "../../../src/sim/kubernetes/object-changes.ts";
import { pod, withPhase, withReady } from "../../../src/sim/kubernetes/pod.ts";
import { service } from "../../../src/sim/kubernetes/service.ts";

const routes = [{ name: "web", port: 8080 }];

function ready(object: object): string | undefined {
  const status = Reflect.get(object, "status") as { conditions: { type: string; status: string }[] };
  return status.conditions.find(({ type }) => type === "Ready")?.status;
}

describe("pod", () => {
  it("is as large as a real one and knows its owner, address and declarations", () => {
    const built = pod({ namespace: "shop", name: "web-7d9f8c6b5d-x2x4z", owner: "web-7d9f8c6b5d", routes });
    expect(JSON.stringify(built).length).toBeGreaterThan(5000);
    expect(built.metadata).toMatchObject({
      labels: { app: "web", "apisix-translator.io/enabled": "true" },
      annotations: { "apisix-translator.io/routes": '[{"name":"web","port":8080}]' },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-7d9f8c6b5d", controller: true },
      ],
    });
    expect(built.status.podIPs).toEqual([{ ip: built.status.podIP }]);
    expect(ready(built)).toBe("True");
  });

  it("without address is Pending and not ready", () => {
    const built = pod({ name: "web-0", ip: null });
    expect([built.status.phase, built.status.podIP, ready(built)]).toEqual(["Pending", undefined, "False"]);
  });

  it("changes readiness, phase, labels and routes without touching the original", () => {
    const built = pod({ name: "web-0", routes });
    const text = JSON.stringify(built);
    expect(ready(withReady(built, false))).toBe("False");
    expect(ready(withPhase(built, "Failed"))).toBe("False");
    expect(withLabels(built, { "apisix-translator.io/enabled": null }).metadata.labels).toEqual({
      app: "web",
    });
    expect(withRoutes(built, "{").metadata.annotations?.["apisix-translator.io/routes"]).toBe("{");
    const paused = withAnnotations(built, { "apisix-translator.io/paused": "true" });
    expect(paused.metadata.annotations).toMatchObject({
      ...built.metadata.annotations,
      "apisix-translator.io/paused": "true",
    });
    const ending = withDeletion(built, Date.parse("2026-03-01T08:00:00Z"));
    expect(ending.metadata.deletionTimestamp).toBe("2026-03-01T08:00:30Z");
    expect(JSON.stringify(built)).toBe(text);
  });
});

describe("service, endpointSlice and node", () => {
  it("leave nil what was not said", () => {
    const slice = endpointSlice({
      service: "web",
      endpoints: [{ ip: "10.0.0.1" }],
      ports: [{ name: "http" }],
    });
    const wire = JSON.parse(JSON.stringify(slice)) as typeof slice;
    expect(wire.endpoints).toEqual([{ addresses: ["10.0.0.1"], conditions: {} }]);
    expect(wire.ports).toEqual([{ protocol: "TCP", name: "http" }]);
    expect(wire.metadata.labels).toMatchObject({ "kubernetes.io/service-name": "web" });
  });

  it("move a slice's generation with its endpoints", () => {
    const slice = endpointSlice({ service: "web", endpoints: [] });
    expect(withEndpoints(slice, [{ ip: "10.0.0.2", ready: false }]).metadata.generation).toBe(2);
  });

  it("know Services without selector, headless and external ones, and Nodes' addresses", () => {
    expect(service({ name: "web", selector: null, clusterIP: "None" }).spec).toMatchObject({
      clusterIP: "None",
    });
    expect(service({ name: "web", selector: null }).spec).not.toHaveProperty("selector");
    const external = service({ name: "web", type: "ExternalName", externalName: "x.example.com" });
    expect(external.spec).toMatchObject({ type: "ExternalName", externalName: "x.example.com" });
    expect(node({ name: "node-1", externalIPs: ["203.0.113.7"] }).status.addresses).toEqual([
      { type: "InternalIP", address: "192.168.10.11" },
      { type: "ExternalIP", address: "203.0.113.7" },
      { type: "Hostname", address: "node-1" },
    ]);
  });
});
