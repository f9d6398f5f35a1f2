import { afterEach, describe, expect, it } from "vitest";
import type { KubeMethod } from "../../../src/watch/transport.ts";
import { harnesses, openWatch, type Harness, type Json } from "./harness.ts";

const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const events = "/apis/events.k8s.io/v1/namespaces/default/events";
const time = "2026-03-01T08:00:00.000000Z";
const merge = "application/merge-patch+json";
const event = {
  ...{ metadata: { name: "e" }, eventTime: time, reportingController: "a.example/b" },
  ...{ reportingInstance: "i", action: "Translate", reason: "Conflict", type: "Warning", note: "n" },
  regarding: { kind: "Pod", namespace: "default", name: "p" },
};
const lease = (metadata: object = {}, spec: object = {}): object => ({
  ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "x", ...metadata } },
  spec: { holderIdentity: "a", leaseDurationSeconds: 15, renewTime: time, ...spec },
});

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

describe.each(harnesses)("writes over %s, as kube-apiserver 1.37.2 answers them", (_name, open) => {
  const start = async (): Promise<Harness> => (harness = await open({}));
  const ask = async (
    method: KubeMethod,
    path: string,
    value?: unknown,
    contentType?: string,
  ): Promise<Json> => {
    const { signal } = new AbortController();
    const content =
      value === undefined ? {} : { body: typeof value === "string" ? value : JSON.stringify(value) };
    const type = contentType === undefined ? {} : { contentType };
    const asked = { method, path, accept: "application/json", signal, ...content, ...type };
    const response = await harness!.transport()(asked);
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as object;
    return { ...body, http: response.status } as unknown as Json;
  };

  it("creates, replaces by version, merges and deletes a Lease, and tells a watch of that one object", async () => {
    const { cluster } = await start();
    const made = await ask("POST", leases, lease());
    expect(made).toMatchObject({ http: 201, kind: "Lease", spec: { holderIdentity: "a" } });
    const reader = await openWatch(
      harness!,
      `fieldSelector=metadata.name%3Dx&resourceVersion=${String(made["metadata"]!["resourceVersion"])}`,
      leases,
    );
    await ask("POST", leases, lease({ name: "other" }));
    const { resourceVersion, uid } = made["metadata"]!;
    const put = await ask("PUT", `${leases}/x`, lease({ resourceVersion, uid }, { holderIdentity: "b" }));
    expect(put).toMatchObject({ http: 200, metadata: { uid }, spec: { holderIdentity: "b" } });
    const merged = await ask(
      "PATCH",
      `${leases}/x`,
      { spec: { holderIdentity: null, leaseTransitions: 3 } },
      merge,
    );
    expect(merged).toMatchObject({ http: 200, spec: { leaseDurationSeconds: 15, leaseTransitions: 3 } });
    expect(merged["spec"]).not.toHaveProperty("holderIdentity");
    expect(await ask("DELETE", `${leases}/x`)).toMatchObject({ http: 200, status: "Success" });
    expect((await reader.take(3)).map((line) => line.split("@")[0])).toEqual([
      "MODIFIED x",
      "MODIFIED x",
      "DELETED x",
    ]);
    expect(cluster.store.get("leases", "default/x")).toBeUndefined();
  });

  it.each<[string, KubeMethod, string, unknown, number, string]>([
    ["a Lease that is there", "POST", leases, lease({ name: "stands" }), 409, "AlreadyExists"],
    [
      "an old version",
      "PUT",
      `${leases}/stands`,
      lease({ name: "stands", resourceVersion: "1" }),
      409,
      "Conflict",
    ],
    ["another uid", "PUT", `${leases}/stands`, lease({ name: "stands", uid: "u" }), 409, "Conflict"],
    ["no version", "PUT", `${leases}/stands`, lease({ name: "stands" }), 422, "Invalid"],
    ["another name", "PUT", `${leases}/stands`, lease({ name: "y" }), 400, "BadRequest"],
    ["another namespace", "POST", leases, lease({ namespace: "shop" }), 400, "BadRequest"],
    ["another kind", "POST", leases, { ...lease(), kind: "Pod" }, 400, "BadRequest"],
    ["no JSON", "POST", leases, "{", 400, "BadRequest"],
    ["a name that is none", "POST", leases, lease({ name: "UPPER_" }), 422, "Invalid"],
    ["no name", "POST", leases, lease({ name: undefined }), 422, "Invalid"],
    ["no duration", "POST", leases, lease({}, { leaseDurationSeconds: 0 }), 422, "Invalid"],
    ["milliseconds", "POST", leases, lease({}, { renewTime: "2026-03-01T08:00:00.000Z" }), 400, "BadRequest"],
    ["a namespace that is not there", "POST", leases.replace("default", "nope"), lease(), 404, "NotFound"],
    [
      "a merge of an old version",
      "PATCH",
      `${leases}/stands`,
      { metadata: { resourceVersion: "1" } },
      409,
      "Conflict",
    ],
    ["a merge into nothing", "PATCH", `${leases}/none`, { spec: {} }, 404, "NotFound"],
    ["a DELETE of nothing", "DELETE", `${leases}/none`, undefined, 404, "NotFound"],
    ["a DELETE of another", "DELETE", `${leases}/stands`, { preconditions: { uid: "u" } }, 409, "Conflict"],
    ["an Event without time", "POST", events, { ...event, eventTime: undefined }, 422, "Invalid"],
    ["an Event of no type", "POST", events, { ...event, type: "Odd" }, 422, "Invalid"],
    ["an Event's other note", "PATCH", `${events}/stands`, { note: "m" }, 422, "Invalid"],
    [
      "a series of one",
      "PATCH",
      `${events}/stands`,
      { series: { count: 1, lastObservedTime: time } },
      422,
      "Invalid",
    ],
    [
      "a PUT of a Lease that is gone",
      "PUT",
      `${leases}/x`,
      lease({ resourceVersion: "5", uid: "u" }),
      409,
      "Conflict",
    ],
    ["a PUT of no Event", "PUT", `${events}/none`, { ...event, metadata: { name: "none" } }, 404, "NotFound"],
    [
      "a Pod",
      "POST",
      "/api/v1/namespaces/default/pods",
      { metadata: { name: "p" } },
      405,
      "MethodNotAllowed",
    ],
  ])("refuses %s: %s %s", async (_what, method, path, body, http, reason) => {
    await start();
    await ask("POST", leases, lease({ name: "stands" }));
    await ask("POST", events, { ...event, metadata: { name: "stands" } });
    expect(await ask(method, path, body, method === "PATCH" ? merge : undefined)).toMatchObject({
      http,
      reason,
    });
  });

  it("counts a series on an Event, makes a Lease by PUT, and knows merge patches only", async () => {
    await start();
    await ask("POST", events, event);
    const series = { count: 2, lastObservedTime: time };
    expect(await ask("PATCH", `${events}/e`, { series }, merge)).toMatchObject({
      http: 200,
      note: "n",
      series,
    });
    expect(await ask("PUT", `${leases}/x`, lease({ resourceVersion: "5" }))).toMatchObject({ http: 201 });
    expect(await ask("PATCH", `${leases}/x`, {})).toMatchObject({ http: 415 });
  });

  it("is forbidden and faulty where told", async () => {
    const { cluster } = await start();
    cluster.faults.onRequest(
      { resource: "leases", verb: "create" },
      { type: "truncate", bytes: 0, clean: false },
    );
    await expect(ask("POST", leases, lease())).rejects.toMatchObject({ code: "KUBE_CONNECTION" });
    expect(cluster.store.get("leases", "default/x")).toBeDefined();
    cluster.access.forbidden.add("leases");
    expect(await ask("DELETE", `${leases}/x`)).toMatchObject({ http: 403, reason: "Forbidden" });
  });
});
