import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { projectPod } from "../../src/filter/project-pod.ts";
import type { PodProjection } from "../../src/store/projection.ts";
import { labelledPod, withValue, type Json } from "./labelled-pod.ts";

function projected(pod: unknown): PodProjection {
  const result = projectPod(pod);
  if (!result.ok) throw new Error(result.reason);
  return result.projection;
}

const changed = (path: readonly (string | number)[], value: unknown): Json =>
  withValue(labelledPod(), path, value);

test("reads a Pod as a real API server sends it", () => {
  expect(projected(labelledPod())).toEqual({
    kind: "pod",
    namespace: "prod-payments-0",
    name: "checkout-api-0-xk28tp47l8-jnc8t",
    uid: "3b533de4-5cfc-4fe1-ac39-3e14a22dab54",
    created: Date.parse("2025-08-12T12:00:00Z"),
    terminating: false,
    phase: "Running",
    ready: true,
    ips: ["10.128.0.1"],
    ports: [
      ["http", 8080],
      ["metrics", 9090],
    ],
    controller: "ReplicaSet",
    routes: '[{"name":"web","port":8080}]',
    paused: false,
  });
});

test("noise changes nothing of it, a flip of readiness exactly that", () => {
  expect(projected(labelledPod("noise"))).toEqual(projected(labelledPod()));
  expect(projected(labelledPod("flip"))).toEqual({ ...projected(labelledPod()), ready: false });
});

test("reads a Pod of which Kubernetes has filled in nothing but what every object has", () => {
  const metadata = { namespace: "a", name: "b", uid: "c", creationTimestamp: "2026-01-01T00:00:00Z" };
  expect(projected({ metadata })).toMatchObject({
    phase: "",
    ready: false,
    ips: [],
    ports: [],
    controller: "",
  });
  expect(projected({ metadata, spec: null, status: null })).toEqual(projected({ metadata }));
});

describe("opting in", () => {
  const label = ["metadata", "labels", "apisix-translator.io/enabled"];
  test.each([
    ["true", true],
    ["True", false],
    ["1", false],
    ["", false],
    [" true", false],
    [undefined, false],
  ])("label %j → %j", (value, enabled) => {
    expect(projectPod(changed(label, value))).toMatchObject({ ok: true, enabled });
  });

  test("no labels at all", () => {
    expect(projectPod(changed(["metadata", "labels"], null))).toMatchObject({ ok: true, enabled: false });
  });
});

describe("fields", () => {
  test("paused is exactly true", () => {
    const paused = (value: unknown): boolean =>
      projected(changed(["metadata", "annotations", "apisix-translator.io/paused"], value)).paused;
    expect([paused("true"), paused("True"), paused("false"), paused(undefined)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test("a deletion timestamp, even one to come, is terminating; null is not", () => {
    expect(projected(changed(["metadata", "deletionTimestamp"], "2099-01-01T00:00:00Z")).terminating).toBe(
      true,
    );
    expect(projected(changed(["metadata", "deletionTimestamp"], null)).terminating).toBe(false);
  });

  test("addresses are podIPs in the server's order, else podIP, without empty ones", () => {
    const both = [{ ip: "fd00::1" }, { ip: "10.0.0.1" }];
    expect(projected(changed(["status", "podIPs"], both)).ips).toEqual(["fd00::1", "10.0.0.1"]);
    expect(projected(changed(["status", "podIPs"], undefined)).ips).toEqual(["10.128.0.1"]);
    expect(projected(changed(["status", "podIPs"], [{ ip: "" }, {}])).ips).toEqual(["10.128.0.1"]);
    const none = withValue(changed(["status", "podIPs"], []), ["status", "podIP"], "");
    expect(projected(none).ips).toEqual([]);
  });

  test("named ports count of containers and of init containers that keep running; the first of a name wins", () => {
    const spec = {
      containers: [
        { ports: [{ name: "web", containerPort: 8080 }, { containerPort: 9999 }] },
        { ports: [{ name: "web", containerPort: 8081 }] },
      ],
      initContainers: [
        { restartPolicy: "Always", ports: [{ name: "admin", containerPort: 15_000 }] },
        { ports: [{ name: "once", containerPort: 1 }] },
      ],
    };
    expect(projected(changed(["spec"], spec)).ports).toEqual([
      ["admin", 15_000],
      ["web", 8080],
    ]);
  });

  test("the order of containers' ports means nothing", () => {
    const swapped = labelledPod();
    (swapped["spec"] as { containers: unknown[] }).containers.reverse();
    expect(projected(swapped)).toEqual(projected(labelledPod()));
  });

  test("only the owner that is the controller counts", () => {
    const owners = [{ kind: "Other" }, { kind: "DaemonSet", controller: true }];
    expect(projected(changed(["metadata", "ownerReferences"], owners)).controller).toBe("DaemonSet");
    expect(projected(changed(["metadata", "ownerReferences"], [{ kind: "Other" }])).controller).toBe("");
  });

  test("only the status True of the condition Ready is ready", () => {
    const conditions = (...list: unknown[]): boolean =>
      projected(changed(["status", "conditions"], list)).ready;
    expect(conditions({ type: "Ready", status: "Unknown" })).toBe(false);
    expect(conditions({ type: "ContainersReady", status: "True" })).toBe(false);
    expect(conditions({ type: "Initialized", status: "False" }, { type: "Ready", status: "True" })).toBe(
      true,
    );
  });
});

describe("malformed, with the field named", () => {
  test.each([
    [["metadata"], 7, "metadata is not an object"],
    [["metadata", "uid"], undefined, "metadata.uid is not a string that is not empty"],
    [["metadata", "uid"], "", "metadata.uid is not a string that is not empty"],
    [["metadata", "name"], 7, "metadata.name is not a string"],
    [
      ["metadata", "creationTimestamp"],
      undefined,
      "metadata.creationTimestamp is not a string that is not empty",
    ],
    [["metadata", "creationTimestamp"], "yesterday", "metadata.creationTimestamp is not a time"],
    [["metadata", "creationTimestamp"], "2026-13-45T99:00:00Z", "metadata.creationTimestamp is not a time"],
    [["metadata", "deletionTimestamp"], 1, "metadata.deletionTimestamp is not a string"],
    [["metadata", "labels"], ["a"], "metadata.labels is not an object"],
    [["metadata", "annotations"], "a", "metadata.annotations is not an object"],
    [
      ["metadata", "annotations", "apisix-translator.io/routes"],
      { a: 1 },
      'metadata.annotations["apisix-translator.io/routes"] is not a string',
    ],
    [["metadata", "ownerReferences"], {}, "metadata.ownerReferences is not a list"],
    [
      ["metadata", "ownerReferences", 0, "controller"],
      "true",
      "metadata.ownerReferences[].controller is not true or false",
    ],
    [["status"], [], "status is not an object"],
    [["status", "phase"], 1, "status.phase is not a string"],
    [["status", "conditions"], "Ready", "status.conditions is not a list"],
    [["status", "conditions", 0], "Ready", "status.conditions[] is not an object"],
    [["status", "podIPs", 0, "ip"], 10, "status.podIPs[].ip is not a string"],
    [["status", "podIPs", 0, "ip"], "evil.example.com", "status.podIPs[].ip is not an IP address"],
    [["spec", "containers"], {}, "spec.containers is not a list"],
    [
      ["spec", "containers", 0, "ports", 0, "containerPort"],
      "8080",
      "spec.containers[].ports[].containerPort is not a port number",
    ],
    [
      ["spec", "containers", 0, "ports", 0, "containerPort"],
      0,
      "spec.containers[].ports[].containerPort is not a port number",
    ],
    [
      ["spec", "containers", 0, "ports", 0, "containerPort"],
      65_536,
      "spec.containers[].ports[].containerPort is not a port number",
    ],
    [
      ["spec", "containers", 0, "ports", 0, "containerPort"],
      80.5,
      "spec.containers[].ports[].containerPort is not a port number",
    ],
  ] as const)("%j = %j", (path, value, reason) => {
    expect(projectPod(changed(path, value))).toEqual({ ok: false, reason });
  });

  test.each([[null], [undefined], [7], ["Pod"], [[]], [{}]])("%j as the whole object", (value) => {
    expect(projectPod(value)).toMatchObject({ ok: false });
  });

  test("nothing that JSON can say makes it throw", () => {
    const path = fc.constantFrom(
      ["metadata"],
      ["metadata", "labels"],
      ["metadata", "ownerReferences"],
      ["spec", "containers"],
      ["spec", "containers", 0],
      ["spec", "initContainers"],
      ["status"],
      ["status", "conditions"],
      ["status", "podIPs"],
    );
    fc.assert(
      fc.property(path, fc.jsonValue({ maxDepth: 4 }), (where, value) => {
        expect(typeof projectPod(changed(where, value)).ok).toBe("boolean");
      }),
    );
  });
});
