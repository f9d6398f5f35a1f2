import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  consumedEndpointSliceFields,
  consumedNodeFields,
  consumedPodFields,
  consumedServiceFields,
} from "../../src/filter/consumed.ts";
import { projectEndpointSlice } from "../../src/filter/project-endpoint-slice.ts";
import { projectNode } from "../../src/filter/project-node.ts";
import { projectPod } from "../../src/filter/project-pod.ts";
import { projectService } from "../../src/filter/project-service.ts";
import { service } from "../../src/sim/kubernetes/service.ts";
import { Consumed } from "./consumed-cases.ts";
import { labelledPod, withValue, type Json } from "./labelled-pod.ts";

const paused = { "apisix-translator.io/paused": "true" };
const going = ["metadata", "deletionTimestamp"] as const;

function fixture(name: string): Json {
  return JSON.parse(
    readFileSync(new URL(`../fixtures/kubernetes/${name}.json`, import.meta.url), "utf8"),
  ) as Json;
}

describe("Pods", () => {
  /** A real Pod with something in every field that the table names. */
  function full(): Json {
    const pod = labelledPod();
    withValue(pod, going, "2026-01-01T00:00:00Z");
    withValue(pod, ["metadata", "annotations", "apisix-translator.io/paused"], "true");
    const sidecar = {
      name: "s",
      restartPolicy: "Always",
      ports: [{ name: "side", containerPort: 7070, protocol: "TCP" }],
    };
    const once = { name: "o", ports: [{ name: "once", containerPort: 6060, protocol: "TCP" }] };
    return withValue(pod, ["spec", "initContainers"], [sidecar, once]);
  }
  /** The same Pod on a server that fills in `podIP` alone. */
  const singleAddress = (): Json => withValue(full(), ["status", "podIPs"], undefined);

  const pods = new Consumed({
    kind: "pods",
    fields: consumedPodFields,
    project: projectPod,
    makes: [full, singleAddress],
    onlyPresence: [going.join(" ")],
    // Which condition is Ready is told by all types, but changing another one's to anything but Ready says nothing.
    silentSomewhere: ["status conditions [] type"],
  });
  pods.test(100);

  test("the conditions in the table hold", () => {
    const effect = (...path: (string | number)[]): boolean => pods.changes(full, path);
    expect(effect("status", "conditions", 1, "status")).toBe(true);
    expect(effect("status", "conditions", 0, "status")).toBe(false);
    expect(effect("status", "conditions", 1, "type")).toBe(true);
    expect(effect("spec", "initContainers", 0, "ports", 0, "name")).toBe(true);
    expect(effect("spec", "initContainers", 1, "ports", 0, "name")).toBe(false);
    expect(effect("status", "podIP")).toBe(false);
    expect(pods.changes(singleAddress, ["status", "podIP"])).toBe(true);
  });
});

describe("Services", () => {
  function full(): Json {
    const made = service({
      ...{ namespace: "shop", name: "web", uid: "u-1", created: "2026-01-01T00:00:00Z" },
      ...{ routes: [{ name: "web", port: 80 }], annotations: paused },
      ...{ type: "NodePort", externalTrafficPolicy: "Local" },
      ports: [
        { name: "http", port: 80, targetPort: "http", nodePort: 30080 },
        { name: "dns", port: 53, protocol: "UDP", nodePort: 30053 },
      ],
    });
    return withValue(structuredClone(made) as unknown as Json, going, "2026-01-01T00:00:00Z");
  }
  const external = (): Json =>
    structuredClone(
      service({
        ...{ namespace: "shop", name: "web", uid: "u-1", created: "2026-01-01T00:00:00Z" },
        ...{ routes: [{ name: "web", port: 80 }], type: "ExternalName", externalName: "shop.example.com" },
      }),
    ) as unknown as Json;

  const services = new Consumed({
    kind: "services",
    fields: consumedServiceFields,
    project: projectService,
    makes: [full, external],
    onlyPresence: [going.join(" ")],
  });
  services.test(10);

  test("the conditions in the table hold: ports of other protocols than TCP are not read", () => {
    for (const field of ["name", "port", "nodePort"]) {
      expect(services.changes(full, ["spec", "ports", 0, field])).toBe(true);
      expect(services.changes(full, ["spec", "ports", 1, field])).toBe(false);
    }
    expect(services.changes(full, ["spec", "type"])).toBe(false);
    expect(services.changes(external, ["spec", "type"])).toBe(true);
  });
});

describe("EndpointSlices", () => {
  /** A real slice, cut to three endpoints; the last one is on its way out. */
  function leaving(): Json {
    const slice = fixture("endpointslice.base");
    slice["endpoints"] = (slice["endpoints"] as Json[]).slice(0, 3);
    return withValue(slice, ["endpoints", 2, "conditions"], {
      ready: false,
      serving: true,
      terminating: true,
    });
  }
  const mirrored = (): Json =>
    withValue(leaving(), ["metadata", "labels", "multicluster.kubernetes.io/service-name"], "web");

  const slices = new Consumed({
    kind: "endpointslices",
    fields: consumedEndpointSliceFields,
    project: projectEndpointSlice,
    makes: [leaving, mirrored],
    onlyPresence: ["metadata labels multicluster.kubernetes.io/service-name"],
    // A mirror is not read at all.
    silentSomewhere: consumedEndpointSliceFields.map(({ path }) => path.join(" ")),
  });
  slices.test(30);

  test("a slice that is read: every field without a condition counts, and the conditions hold", () => {
    const effect = (...path: (string | number)[]): boolean => slices.changes(leaving, path);
    expect(effect("metadata", "labels", "kubernetes.io/service-name")).toBe(true);
    expect(effect("addressType")).toBe(true);
    for (const field of ["name", "port"]) expect(effect("ports", 0, field)).toBe(true);
    for (const endpoint of [0, 1, 2]) {
      expect(effect("endpoints", endpoint, "addresses", 0)).toBe(true);
      expect(effect("endpoints", endpoint, "nodeName")).toBe(true);
      expect(effect("endpoints", endpoint, "conditions", "ready")).toBe(true);
      expect(effect("endpoints", endpoint, "conditions", "serving")).toBe(endpoint === 2);
      expect(effect("endpoints", endpoint, "conditions", "terminating")).toBe(endpoint === 2);
    }
  });
});

describe("Nodes", () => {
  const plain = (): Json => fixture("node.base");
  const label = "node.kubernetes.io/exclude-from-external-load-balancers";
  const excluded = (): Json => withValue(plain(), ["metadata", "labels", label], "");

  const nodes = new Consumed({
    kind: "nodes",
    fields: consumedNodeFields,
    project: projectNode,
    makes: [plain, excluded],
    onlyPresence: [`metadata labels ${label}`],
    // A type that means nothing to us may become another one.
    silentSomewhere: ["status addresses [] type"],
  });
  nodes.test(100);

  test("the conditions in the table hold", () => {
    expect(nodes.changes(plain, ["status", "addresses", 0, "address"])).toBe(true);
    expect(nodes.changes(plain, ["status", "addresses", 0, "type"])).toBe(true);
    expect(nodes.changes(plain, ["status", "addresses", 3, "address"])).toBe(false);
  });
});
