import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { JsonObject } from "../../src/apisix/types.ts";
import { AdminJournal } from "../../src/sim/admin/admin-exchange.ts";
import { startAdminServer } from "../../src/sim/admin/admin-server.ts";
import type { AdminServer } from "../../src/sim/admin/admin-server.ts";
import { describeReal } from "./control-plane/describe-real.ts";
import { startControlPlane } from "./control-plane/control-plane.ts";
import type { ControlPlane } from "./control-plane/control-plane.ts";
import type { KubeClient } from "./control-plane/kube-client.ts";
import { createNamespace, createReadyPod, podPath, reportRunning } from "./control-plane/pods.ts";
import { TranslatorProcess } from "./translator-process.ts";

const enabled = { "apisix-translator.io/enabled": "true" };
const declaring = (declarations: unknown): Record<string, string> => ({
  "apisix-translator.io/routes":
    typeof declarations === "string" ? declarations : JSON.stringify(declarations),
});

describeReal("Pods of two real clusters in one gateway", () => {
  let plane: ControlPlane;
  let gateway: AdminServer;
  let translator: TranslatorProcess | undefined;
  let admins: readonly KubeClient[];
  const journal = new AdminJournal(100_000);

  beforeAll(async () => {
    plane = await startControlPlane({ clusters: ["east", "west"] });
    gateway = await startAdminServer();
    gateway.admin.onExchange(journal.add);
    admins = plane.clusters.map(({ server }) => server.admin);
    await Promise.all(admins.map((admin) => createNamespace(admin, "shop")));
  });

  afterEach(async () => {
    await translator?.close();
    translator = undefined;
  });

  afterAll(async () => {
    await gateway?.close();
    await plane?.close();
  });

  const run = async (): Promise<TranslatorProcess> => {
    const { url: adminUrl, adminKey } = gateway;
    translator = await TranslatorProcess.start({ clusters: plane.clusters, adminUrl, adminKey });
    return translator;
  };
  const writes = (from: number): string[] =>
    journal.writes.slice(from).map(({ method, resource }) => `${method} ${resource}`);
  const hosts = (): string[] =>
    gateway.admin.store
      .list("routes")
      .flatMap(({ value }) => (value as JsonObject)["hosts"] as string[])
      .toSorted();
  const nodesOf = (host: string): string[] | undefined => {
    const route = gateway.admin.store
      .list("routes")
      .find(({ value }) => (value as { hosts: string[] }).hosts.includes(host));
    if (route === undefined) return undefined;
    const { upstream_id: id } = route.value as { upstream_id: string };
    const upstream = gateway.admin.store.get("upstreams", id)?.value as {
      nodes: { host: string; port: number }[];
    };
    return upstream.nodes.map((node) => `${node.host}:${node.port}`);
  };

  it("a Pod is routed when Ready, emptied when not, relabelled away and back, mended and deleted", async () => {
    const east = plane.cluster("east").server.admin;
    const live = await run();
    const place = { namespace: "shop", name: "web-0" };
    const declares = [{ name: "web", port: "http", host: "web.example.com" }];
    await createReadyPod(east, {
      ...{ ...place, labels: enabled, annotations: declaring(declares), ips: ["10.1.0.1"] as const },
      ports: [{ name: "http", containerPort: 8080 }],
    });
    await live.until("the route", () => nodesOf("web.example.com")?.join() === "10.1.0.1:8080");

    let before = journal.writes.length;
    await reportRunning(east, { ...place, ips: ["10.1.0.1"] }, false);
    await live.until("no nodes", () => nodesOf("web.example.com")?.length === 0);
    await reportRunning(east, { ...place, ips: ["10.1.0.1"] }, true);
    await live.until("the node", () => nodesOf("web.example.com")?.length === 1);
    expect(writes(before)).toEqual(["PUT upstreams", "PUT upstreams"]);

    before = journal.writes.length;
    const label = (value: string | null): Promise<unknown> =>
      east.patch(podPath(place), { metadata: { labels: { "apisix-translator.io/enabled": value } } });
    await label(null);
    await live.until("emptied", () => nodesOf("web.example.com")?.length === 0);
    await label("true");
    await live.until("back", () => nodesOf("web.example.com")?.length === 1);
    expect(writes(before)).toEqual(["PUT upstreams", "PUT upstreams"]);

    before = journal.writes.length;
    const annotate = (text: string): Promise<unknown> =>
      east.patch(podPath(place), { metadata: { annotations: declaring(text) } });
    await annotate("[{");
    await live.until("Invalid", async () => (await live.status()).routes.Invalid === 1);
    expect(writes(before)).toEqual([]);
    await annotate(JSON.stringify([{ ...declares[0], host: "mended.example.com" }]));
    await live.until("the new host", () => nodesOf("mended.example.com")?.length === 1);
    expect(writes(before)).toEqual(["PUT routes"]);

    before = journal.writes.length;
    await east.delete(podPath(place), { gracePeriodSeconds: 0 });
    await live.until("nothing", () => hosts().length === 0 && gateway.admin.store.size("upstreams") === 0);
    expect(writes(before)).toEqual(["PUT upstreams", "DELETE routes", "DELETE upstreams"]);
    expect(await live.stop()).toBe(0);
  });

  it("500 Pods in two clusters become exactly their routes; a stopped API server and a restart write nothing", async () => {
    const live = await run();
    const pods = Array.from({ length: 250 }, (_, index) => `pod-${index}`);
    for (const [number, { name, server }] of plane.clusters.entries()) {
      for (let from = 0; from < pods.length; from += 25) {
        await Promise.all(
          pods.slice(from, from + 25).map((pod, index) =>
            createReadyPod(server.admin, {
              ...{ namespace: "shop", name: pod, labels: enabled, ports: [{ containerPort: 8080 }] },
              annotations: declaring([{ name: "web", port: 8080, host: `${pod}.${name}.example.com` }]),
              ips: [`10.${number + 2}.${Math.floor((from + index) / 200)}.${(from + index) % 200}`],
            }),
          ),
        );
      }
    }
    const expected = plane.clusters
      .flatMap(({ name }) => pods.map((pod) => `${pod}.${name}.example.com`))
      .toSorted();
    await live.until(
      "500 routes",
      async () => hosts().length === 500 && (await live.status()).routes.Routed === 500,
    );
    expect(hosts()).toEqual(expected);

    const before = journal.writes.length;
    const { process: server } = plane.cluster("east").server;
    await server.stop();
    await live.until(
      "east degraded",
      async () => (await live.status()).clusters[0]?.kinds.pods?.state === "degraded",
    );
    await server.start();
    await live.until(
      "east synced",
      async () => (await live.status()).clusters[0]?.kinds.pods?.state === "synced",
    );
    expect(writes(before)).toEqual([]);

    expect(await live.stop()).toBe(0);
    await live.start();
    await live.until("500 routed", async () => (await live.status()).routes.Routed === 500);
    expect(writes(before)).toEqual([]);
    expect(hosts()).toEqual(expected);
  });
});
