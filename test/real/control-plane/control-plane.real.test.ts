import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { describeReal } from "./describe-real.ts";
import { type Cluster, type ControlPlane, startControlPlane } from "./control-plane.ts";
import type { KubeClient, WatchEvent } from "./kube-client.ts";
import { createNamespace, createReadyPod, podPath, reportRunning } from "./pods.ts";

const enabled = { "apisix-translator.io/enabled": "true" };
const selector = "labelSelector=apisix-translator.io%2Fenabled%3Dtrue";
const minutes = 60_000;

async function identity(client: KubeClient): Promise<string | undefined> {
  return (await client.get("/api/v1/namespaces/kube-system")).metadata.uid;
}

/** Events of `client`'s watch until one satisfies `last`. */
async function watchUntil(
  client: KubeClient,
  path: string,
  last: (event: WatchEvent) => boolean,
): Promise<WatchEvent[]> {
  const stop = new AbortController();
  const seen: WatchEvent[] = [];
  try {
    for await (const event of client.watch(path, stop.signal)) {
      seen.push(event);
      if (last(event)) return seen;
    }
    throw new Error(`the watch ended after ${seen.length} events`);
  } finally {
    stop.abort();
  }
}

function isReady(event: WatchEvent): boolean {
  return JSON.stringify(event.object["status"]).includes('{"type":"Ready","status":"True"');
}

describeReal("a real control plane", () => {
  let plane: ControlPlane;
  let first: Cluster;
  let second: Cluster;
  let translator: KubeClient;

  beforeAll(async () => {
    plane = await startControlPlane({ clusters: 2 });
    first = plane.cluster("cluster-1");
    second = plane.cluster("cluster-2");
    translator = first.server.clientFor(first.token);
    await createNamespace(first.server.admin, "shop");
  }, 3 * minutes);

  afterAll(async () => {
    await translator?.close();
    await plane?.close();
  });

  it("gives each cluster an identity of its own", async () => {
    const uids = await Promise.all(plane.clusters.map(({ server }) => identity(server.admin)));
    expect(uids).toEqual([
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
    expect(new Set(uids).size).toBe(2);
    expect(await identity(translator)).toBe(uids[0]);
  });

  it("shows a Pod that becomes Ready to a list and a watch with a label selector", async () => {
    const { resourceVersion } = (await translator.get("/api/v1/pods?limit=1")).metadata;
    const path = `/api/v1/pods?watch=1&${selector}&resourceVersion=${resourceVersion}`;
    const watched = watchUntil(translator, path, isReady);
    const { admin } = first.server;
    await createReadyPod(admin, { namespace: "shop", name: "plain", ports: [], ips: ["10.1.0.1"] });
    const pod = { namespace: "shop", name: "web", labels: enabled, ips: ["10.1.0.2"] } as const;
    await createReadyPod(admin, { ...pod, ports: [{ name: "http", containerPort: 8080 }] });

    const events = await watched;
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      "ADDED web",
      "MODIFIED web",
    ]);
    const [listed, ...others] = await translator.list(`/api/v1/pods?${selector}`);
    expect(others).toEqual([]);
    expect(listed).toMatchObject({
      metadata: { name: "web", labels: enabled },
      spec: { containers: [{ ports: [{ name: "http", containerPort: 8080 }] }] },
      status: { phase: "Running", podIP: "10.1.0.2", conditions: [{ type: "Ready", status: "True" }] },
    });
    expect(await second.server.admin.list("/api/v1/pods")).toEqual([]);
  });

  it("reports a Pod that is not ready any more, and removes it at once with a grace period of 0", async () => {
    const { admin } = first.server;
    const pod = { namespace: "shop", name: "short", ips: ["10.1.0.3"] } as const;
    await createReadyPod(admin, { ...pod, ports: [] });
    const unready = await reportRunning(admin, pod, false);
    expect(unready["status"]).toMatchObject({ conditions: [{ type: "Ready", status: "False" }] });
    await admin.delete(podPath(pod));
    const terminating = await admin.get(podPath(pod));
    expect(terminating.metadata.deletionTimestamp).toEqual(expect.any(String));
    await admin.delete(podPath(pod), { gracePeriodSeconds: 0 });
    expect((await admin.request("GET", podPath(pod))).status).toBe(404);
  });

  it("forbids the translator's token everything beyond what it watches and its cluster's identity", async () => {
    const forbidden = await Promise.all(
      ["/api/v1/secrets", "/api/v1/configmaps", "/api/v1/namespaces", "/api/v1/namespaces/default"].map(
        (path) => translator.request("GET", path),
      ),
    );
    expect(forbidden.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(forbidden[0]?.contentType).toBe("application/json");
    await expect(translator.delete("/api/v1/namespaces/shop/pods/web")).rejects.toThrow("answered 403");
    const stranger = first.server.clientFor(second.token);
    expect((await stranger.request("GET", "/api/v1/pods")).status).toBe(401);
    await stranger.close();
  });

  it("describes the translator's access in a kubeconfig", () => {
    expect(parse(first.kubeconfig)).toMatchObject({
      "current-context": "cluster-1",
      clusters: [{ name: "cluster-1", cluster: { server: first.server.url } }],
      users: [{ user: { token: first.token } }],
      contexts: [{ name: "cluster-1", context: { cluster: "cluster-1" } }],
    });
  });

  it.each(["stop", "kill"] as const)(
    "keeps Pods, identity, address and tokens over a %s and a start of the API server",
    async (end) => {
      const before = await identity(translator);
      await first.server.process[end]();
      expect(first.server.process.running).toBe(false);
      await expect(translator.request("GET", "/api/v1/pods")).rejects.toThrow();
      await first.server.process.start();
      expect(
        (await translator.list(`/api/v1/pods?${selector}`)).map(({ metadata }) => metadata.name),
      ).toEqual(["web"]);
      expect(await identity(translator)).toBe(before);
    },
    3 * minutes,
  );
});
