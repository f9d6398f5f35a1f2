import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withLabels } from "../../../src/sim/kubernetes/object-changes.ts";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import { createPods, get, getJson, harnesses, type Harness, type Json } from "./harness.ts";

function names(list: Json): string[] {
  return Object.values(list["items"] ?? {}).map((item) => String(item?.["metadata"]?.["name"]));
}

function token(list: Json): string {
  return String(list["metadata"]?.["continue"]);
}

describe.each(harnesses)("lists over %s", (_transport, openHarness) => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness({ historyLength: 50 });
  });
  afterEach(() => harness.close());

  it("have the shape of an API server's: kind on the list, not on its items", async () => {
    createPods(harness, 2);
    const list = await getJson(harness, "/api/v1/pods");
    expect(list).toMatchObject({ kind: "PodList", apiVersion: "v1" });
    expect(list["metadata"]).toEqual({ resourceVersion: String(harness.cluster.store.revision) });
    expect(names(list)).toEqual(["web-000", "web-001"]);
    expect(Object.keys(list["items"]?.[0] ?? {})).toEqual(["metadata", "spec", "status"]);
  });

  it("of nothing are an empty array", async () => {
    const list = await getJson(harness, "/apis/discovery.k8s.io/v1/endpointslices");
    expect(list).toMatchObject({ kind: "EndpointSliceList", apiVersion: "discovery.k8s.io/v1", items: [] });
  });

  it("in pages show one revision, whatever changes between the pages", async () => {
    createPods(harness, 5);
    const { store } = harness.cluster;
    const revision = String(store.revision);
    const first = await getJson(harness, "/api/v1/pods?limit=2");
    expect(first["metadata"]).toMatchObject({ resourceVersion: revision, remainingItemCount: 3 });
    store.remove("pods", "shop/web-002");
    store.create("pods", pod({ namespace: "shop", name: "web-0025" }));
    store.patch("pods", "shop/web-003", (object) => withLabels(object, { late: "true" }));
    const second = await getJson(harness, `/api/v1/pods?limit=2&continue=${token(first)}`);
    expect(names(second)).toEqual(["web-002", "web-003"]);
    expect(second["items"]?.[1]?.["metadata"]?.["labels"]).not.toHaveProperty("late");
    const third = await getJson(harness, `/api/v1/pods?limit=2&continue=${token(second)}`);
    expect(names(third)).toEqual(["web-004"]);
    expect(third["metadata"]).toEqual({ resourceVersion: revision });
    expect(names(await getJson(harness, "/api/v1/pods"))).toContain("web-0025");
  });

  it("answer 410 to a page whose revision is compacted, and offer a token that goes on", async () => {
    createPods(harness, 4);
    const first = await getJson(harness, "/api/v1/pods?limit=2");
    harness.cluster.store.bumpNoise("pods", "shop/web-000");
    harness.cluster.store.compact("pods");
    const next = await get(harness, `/api/v1/pods?limit=2&continue=${token(first)}`);
    expect(next.status).toBe(410);
    const status = JSON.parse(next.text) as Json;
    expect(status).toMatchObject({ kind: "Status", reason: "Expired", code: 410 });
    const rest = await getJson(harness, `/api/v1/pods?limit=2&continue=${token(status)}`);
    expect(names(rest)).toEqual(["web-002", "web-003"]);
  });

  it("select by namespace, label and field", async () => {
    createPods(harness, 3);
    const { store } = harness.cluster;
    store.create("pods", pod({ namespace: "other", name: "api-0", labels: { app: "api" } }));
    expect(names(await getJson(harness, "/api/v1/namespaces/other/pods"))).toEqual(["api-0"]);
    const selector = encodeURIComponent("app in (api,none)");
    expect(names(await getJson(harness, `/api/v1/pods?labelSelector=${selector}`))).toEqual(["api-0"]);
    const field = encodeURIComponent("metadata.name=web-001");
    expect(names(await getJson(harness, `/api/v1/pods?fieldSelector=${field}`))).toEqual(["web-001"]);
  });

  it("with a selector fill their pages and do not count what remains", async () => {
    createPods(harness, 6);
    for (const name of ["web-001", "web-003", "web-005"]) {
      harness.cluster.store.patch("pods", `shop/${name}`, (object) => withLabels(object, { odd: "true" }));
    }
    const first = await getJson(harness, "/api/v1/pods?labelSelector=odd&limit=2");
    expect(names(first)).toEqual(["web-001", "web-003"]);
    expect(first["metadata"]).not.toHaveProperty("remainingItemCount");
    const rest = await getJson(harness, `/api/v1/pods?labelSelector=odd&limit=2&continue=${token(first)}`);
    expect(names(rest)).toEqual(["web-005"]);
    expect(rest["metadata"]).not.toHaveProperty("continue");
  });

  it("refuse with 400 what cannot be parsed", async () => {
    for (const query of [
      "limit=x",
      "continue=%21",
      "labelSelector=a%3D%3D%3Db",
      "fieldSelector=spec.x%3D1",
    ]) {
      const answer = await get(harness, `/api/v1/pods?${query}`);
      expect([query, answer.status]).toEqual([query, 400]);
      expect(JSON.parse(answer.text)).toMatchObject({ kind: "Status", status: "Failure", code: 400 });
    }
  });

  it("answer 504 to a resourceVersion that is still to come", async () => {
    const answer = await get(
      harness,
      "/api/v1/pods?resourceVersion=999999&resourceVersionMatch=NotOlderThan",
    );
    expect(answer.status).toBe(504);
    expect(JSON.parse(answer.text)).toMatchObject({
      details: { causes: [{ reason: "ResourceVersionTooLarge" }] },
    });
  });

  it("at an exact resourceVersion show the past", async () => {
    createPods(harness, 2);
    const then = harness.cluster.store.revision;
    harness.cluster.store.remove("pods", "shop/web-000");
    const past = await getJson(harness, `/api/v1/pods?resourceVersion=${then}&resourceVersionMatch=Exact`);
    expect(names(past)).toEqual(["web-000", "web-001"]);
  });

  it("at resourceVersion 0 come whole, as from a watch cache", async () => {
    createPods(harness, 3);
    expect(names(await getJson(harness, "/api/v1/pods?resourceVersion=0&limit=1"))).toHaveLength(3);
  });
});

describe.each(harnesses)("single requests over %s", (_transport, openHarness) => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness({});
  });
  afterEach(() => harness.close());

  it("tell a cluster's identity by kube-system", async () => {
    const namespace = await getJson(harness, "/api/v1/namespaces/kube-system");
    expect(namespace).toMatchObject({ kind: "Namespace", apiVersion: "v1" });
    expect(namespace["metadata"]?.["uid"]).toBe(harness.cluster.store.uid);
    expect(harness.cluster.store.uid).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    harness.cluster.faults.identity = "another";
    const lie = await getJson(harness, "/api/v1/namespaces/kube-system");
    expect(lie["metadata"]?.["uid"]).toBe("another");
  });

  it("answer 401 without a good token, but for version and health", async () => {
    const refused = await get(harness, "/api/v1/pods", "wrong");
    expect(refused.status).toBe(401);
    expect(JSON.parse(refused.text)).toMatchObject({ reason: "Unauthorized", code: 401 });
    expect((await get(harness, "/version", "wrong")).status).toBe(200);
    expect((await get(harness, "/readyz", "wrong")).text).toBe("ok");
    harness.cluster.access.tokens.add("second");
    expect((await get(harness, "/api/v1/pods", "second")).status).toBe(200);
  });

  it("answer 403 for one kind and harm no other", async () => {
    harness.cluster.access.forbidden.add("pods");
    const refused = await get(harness, "/api/v1/pods");
    expect(refused.status).toBe(403);
    const status = JSON.parse(refused.text) as Json;
    expect(status).toMatchObject({ reason: "Forbidden", details: { kind: "pods" } });
    expect(status["message"]).toContain(`cannot list resource "pods" in API group "" at the cluster scope`);
    expect((await get(harness, "/api/v1/services")).status).toBe(200);
  });

  it("answer 404: a Status for resources and objects, text for unknown paths", async () => {
    const resource = await get(harness, "/api/v1/gadgets");
    expect([resource.status, JSON.parse(resource.text)]).toMatchObject([404, { reason: "NotFound" }]);
    const object = await get(harness, "/api/v1/namespaces/shop/pods/web-9");
    expect(JSON.parse(object.text)).toMatchObject({
      message: `pods "web-9" not found`,
      details: { name: "web-9" },
    });
    const path = await get(harness, "/apis/example.com/v1/things");
    expect([path.status, path.contentType, path.text]).toEqual([
      404,
      "text/plain; charset=utf-8",
      "404 page not found\n",
    ]);
  });

  it("are remembered with their time, path, kind and verb", async () => {
    await get(harness, "/api/v1/pods?limit=1");
    const [seen] = harness.cluster.traffic.requests;
    expect(seen).toMatchObject({ at: 1000, path: "/api/v1/pods?limit=1", resource: "pods", verb: "list" });
  });
});
