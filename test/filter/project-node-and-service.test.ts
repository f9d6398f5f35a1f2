import { expect, test } from "vitest";
import { projectNode } from "../../src/filter/project-node.ts";
import { projectService } from "../../src/filter/project-service.ts";
import { node } from "../../src/sim/kubernetes/node.ts";
import { service, type ServiceOptions } from "../../src/sim/kubernetes/service.ts";

const made = { uid: "u", created: "2026-01-01T00:00:00Z", routes: [] };
const projectionOf = (options: Omit<ServiceOptions, "name">) => {
  const result = projectService(service({ name: "web", ...made, ...options }));
  if (!result.ok) throw new Error(result.reason);
  return result.projection;
};

test("F5: addresses of a Node in another order, and a heartbeat, are the same Node; another InternalIP is not", () => {
  const make = (...internalIPs: string[]): ReturnType<typeof projectNode> =>
    projectNode(node({ name: "n1", internalIPs, externalIPs: ["54.0.0.1", "FD00::0:1"] }));
  expect(make("10.0.0.2", "10.0.0.1")).toEqual(make("10.0.0.1", "10.0.0.2"));
  expect(make("10.0.0.2", "10.0.0.3")).not.toEqual(make("10.0.0.1", "10.0.0.2"));
  expect(make("10.0.0.1")).toMatchObject({
    projection: { internalIPs: ["10.0.0.1"], externalIPs: ["54.0.0.1", "fd00::1"], excluded: false },
  });
});

test("a Node is excluded by the label alone, whatever its value", () => {
  const labels = { "node.kubernetes.io/exclude-from-external-load-balancers": "" };
  expect(projectNode(node({ name: "n1", labels }))).toMatchObject({ projection: { excluded: true } });
});

test("a Node with an address that is none is malformed", () => {
  expect(projectNode(node({ name: "n1", internalIPs: ["10.0.0"] }))).toEqual({
    ok: false,
    reason: "status.addresses[].address is not an IP address",
  });
});

test("ports of a Service in another order are the same; only TCP counts", () => {
  const tcp = { name: "http", port: 53, nodePort: 30053 };
  const udp = { name: "dns", port: 53, protocol: "UDP" } as const;
  const other = { name: "admin", port: 81 };
  const projection = projectionOf({ type: "NodePort", ports: [tcp, udp, other] });
  expect(projection.ports).toEqual([tcp, { ...other, nodePort: 0 }]);
  expect(projectionOf({ type: "NodePort", ports: [other, udp, tcp] })).toEqual(projection);
});

test("a Service without ports, a headless one and one of another type have what they have", () => {
  expect(projectionOf({ ports: [], clusterIP: "None" })).toMatchObject({ ports: [], external: false });
  expect(projectionOf({ type: "ExternalName", ports: [] })).toMatchObject({ external: true });
  expect(projectionOf({ type: "NodePort", externalTrafficPolicy: "Local" })).toMatchObject({ local: true });
});

test("a Service port that is none makes the Service malformed", () => {
  expect(projectService(service({ name: "web", ...made, ports: [{ port: 0 }] }))).toEqual({
    ok: false,
    reason: "spec.ports[].port is not a port number",
  });
});
