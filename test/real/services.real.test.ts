import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { startControllerManager } from "./control-plane/controller-manager.ts";
import { describeReal } from "./control-plane/describe-real.ts";
import { Kubelet } from "./control-plane/kubelet.ts";
import { createNamespace, podEndpoints, reportRunning } from "./control-plane/pods.ts";
import type { ServerProcess } from "./control-plane/server-process.ts";
import { declaring, Scene } from "./scene.ts";

const host = "web.example.com";
const servicePath = "/api/v1/namespaces/shop/services/web";
const deploymentPath = "/apis/apps/v1/namespaces/shop/deployments/web";
const slicesPath =
  "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dweb";
const replicas = 50;
/** More than two slices hold. */
const many = 250;
/** What is emptied must not be deleted before the test brings it back. */
const patient = { throttle: { routeInterval: "0ms", deleteGrace: "10m" } };

describeReal(
  "A Service whose EndpointSlices the controller manager writes",
  () => {
    let scene: Scene;
    let manager: ServerProcess;
    let kubelet: Kubelet;

    beforeAll(async () => {
      const args = ["--service-cluster-ip-range=10.96.0.0/16,fd00:96::/112"];
      scene = await Scene.open({ clusters: ["east"], args });
      const admin = scene.admin("east");
      manager = await startControllerManager(scene.plane.cluster("east").server);
      await createNamespace(admin, "shop");
      // The endpoint slice controller leaves Pods out whose Node does not exist.
      await admin.create("/api/v1/nodes", { metadata: { name: "node-1" } });
      kubelet = await Kubelet.start(admin, "shop");
      await admin.create("/apis/apps/v1/namespaces/shop/deployments", {
        metadata: { name: "web" },
        spec: { replicas, selector: { matchLabels: { app: "web" } }, template: template("1") },
      });
      await admin.create("/api/v1/namespaces/shop/services", {
        metadata: { name: "web", ...declaring({ name: "web", port: 80, host }) },
        spec: {
          ...{ selector: { app: "web" }, ipFamilyPolicy: "RequireDualStack" },
          ports: [{ name: "http", port: 80, targetPort: "http" }],
        },
      });
    });

    afterEach(() => scene.end());

    afterAll(async () => {
      await kubelet?.[Symbol.asyncDispose]();
      await manager?.close();
      await scene?.close();
    });

    const template = (version: string): object => ({
      metadata: { labels: { app: "web", version } },
      spec: {
        nodeName: "node-1",
        containers: [
          { name: "app", image: "app.invalid/app", ports: [{ name: "http", containerPort: 8080 }] },
        ],
      },
    });
    const nodes = (): readonly string[] => scene.view.nodesOf(host) ?? [];
    const running = (): Promise<string[]> => podEndpoints(scene.admin("east"), "shop", 8080);
    /** How many nodes each write since then had. */
    const sizes = (from: number): number[] =>
      scene.view.writes
        .slice(from)
        .map(({ body }) => (body as { readonly nodes: readonly unknown[] }).nodes.length);

    it("A9: the rollout of its 50 Pods writes one upstream, never without the Pods that serve, and no route", async () => {
      const admin = scene.admin("east");
      const live = await scene.run();
      await live.until("50 nodes", () => nodes().length === replicas);
      expect(nodes()).toEqual(await running());
      const first = new Set(nodes());
      const from = scene.view.mark;
      await admin.patch(deploymentPath, { spec: { template: template("2") } });
      await live.until(
        "50 other nodes",
        () => nodes().length === replicas && nodes().every((node) => !first.has(node)),
      );
      expect(nodes()).toEqual(await running());
      expect(Object.keys(scene.view.tally(from))).toEqual(["PUT upstreams"]);
      // A Deployment keeps three quarters available, and at most a quarter more than it wants.
      expect(Math.min(...sizes(from))).toBeGreaterThanOrEqual(Math.floor(replicas * 0.75));
      expect(Math.max(...sizes(from))).toBeLessThanOrEqual(Math.ceil(replicas * 1.25));
    });

    it("F4: relabelled away it is emptied, relabelled back it has its nodes again, without a route write", async () => {
      const live = await scene.run(patient);
      await live.until("routed", async () => (await live.status()).routes.Routed === 1);
      const before = nodes();
      const from = scene.view.mark;
      const label = (value: string | null): Promise<unknown> =>
        scene.admin("east").patch(servicePath, {
          metadata: { labels: { "apisix-translator.io/enabled": value } },
        });
      await label(null);
      await live.until("emptied", () => nodes().length === 0);
      await label("true");
      await live.until("its nodes", () => nodes().length === replicas);
      expect(nodes()).toEqual(before);
      expect(scene.view.writesSince(from)).toEqual(["PUT upstreams", "PUT upstreams"]);
    });

    it("a port that is renamed, and a targetPort that moves, end in the right nodes, without a route write", async () => {
      const live = await scene.run(patient);
      await live.until("routed", async () => (await live.status()).routes.Routed === 1);
      const before = nodes();
      const from = scene.view.mark;
      const ports = (name: string, targetPort: number | string): Promise<unknown> =>
        scene.admin("east").patch(servicePath, { spec: { ports: [{ name, port: 80, targetPort }] } });
      await ports("renamed", "http");
      await ports("renamed", 9090);
      await live.until(
        "the other port",
        () => nodes().length === replicas && nodes().every((node) => node.endsWith(":9090")),
      );
      await ports("http", "http");
      await live.until("the first port", () => nodes().join() === before.join());
      expect(Object.keys(scene.view.tally(from))).toEqual(["PUT upstreams"]);
    });

    it("E9: its IPv6 slices are nodes in brackets where both families are asked for, and nothing else is", async () => {
      const live = await scene.run({}, { addressFamily: "dual" });
      await live.until("both families", () => nodes().length === 2 * replicas);
      const six = nodes().filter((node) => /^\[fd00:200::[\da-f]+\]:8080$/.test(node));
      expect(six).toHaveLength(replicas);
      expect(nodes().filter((node) => !node.startsWith("["))).toEqual(await running());
      const from = scene.view.mark;
      await scene.end();
      const four = await scene.run();
      await four.until("one family", () => nodes().length === replicas);
      expect(nodes()).toEqual(await running());
      expect(scene.view.writesSince(from)).toEqual(["PUT upstreams"]);
    });

    it("E1: of 250 endpoints in several slices one flips: one write, 249 nodes", async () => {
      const admin = scene.admin("east");
      const live = await scene.run();
      await admin.patch(deploymentPath, { spec: { replicas: many } });
      await live.until("250 nodes", () => nodes().length === many, 120_000);
      const slices = (await admin.list(slicesPath)).filter((slice) => slice["addressType"] === "IPv4");
      expect(slices.length).toBeGreaterThanOrEqual(3);
      const pod = (await admin.list("/api/v1/namespaces/shop/pods"))[0]!;
      const { podIP } = pod["status"] as { podIP: string };
      const { name = "" } = pod.metadata;
      const from = scene.view.mark;
      await reportRunning(admin, { namespace: "shop", name, ips: [podIP] }, false);
      await live.until("249 nodes", () => nodes().length === many - 1);
      await reportRunning(admin, { namespace: "shop", name, ips: [podIP] }, true);
      await live.until("250 nodes", () => nodes().length === many);
      expect(sizes(from)).toEqual([many - 1, many]);
    });
  },
  ["etcd", "kube-apiserver", "kube-controller-manager"],
);

/** Slices that somebody writes by hand, so that endpoints can be moved from one to another. */
describeReal("Endpoints that move between EndpointSlices", () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.open({ clusters: ["east"] });
    const admin = scene.admin("east");
    await createNamespace(admin, "shop");
    const { labels, annotations } = declaring({ name: "web", port: 80, host });
    await admin.create("/api/v1/namespaces/shop/services", {
      metadata: { name: "web", labels, annotations },
      spec: { ports: [{ name: "http", port: 80 }] },
    });
    for (const [number, addresses] of split.entries())
      await admin.create("/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices", {
        metadata: { name: `web-${number}`, labels: { ...labels, "kubernetes.io/service-name": "web" } },
        ...{ addressType: "IPv4", ports: [{ name: "http", port: 80 }], endpoints: endpoints(addresses) },
      });
  });

  afterEach(() => scene.end());

  afterAll(() => scene?.close());

  const addresses = Array.from({ length: many }, (_, index) => `10.7.${index >> 8}.${index & 255}`);
  const split = [addresses.slice(0, 100), addresses.slice(100, 200), addresses.slice(200)];
  const endpoints = (of: readonly string[]): object[] =>
    of.map((address) => ({ addresses: [address], conditions: { ready: true } }));
  const put = (number: number, of: readonly string[]): Promise<unknown> =>
    scene.admin("east").patch(`/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices/web-${number}`, {
      endpoints: endpoints(of),
    });

  it("E2: are never missing and never there twice, whichever slice is written first", async () => {
    // For so long may an endpoint be in no slice at all; API servers that are busy take their time.
    const live = await scene.run({ throttle: { quiet: "3s", maxDelay: "10s", routeInterval: "0ms" } });
    const nodes = (): readonly string[] => scene.view.nodesOf(host) ?? [];
    await live.until("250 nodes", () => nodes().length === many);
    const from = scene.view.mark;
    const moving = addresses.slice(50, 100);
    await put(0, addresses.slice(0, 50));
    await put(2, [...addresses.slice(200), ...moving]);
    await put(0, addresses.slice(0, 100));
    await put(2, addresses.slice(200));
    // Something that must be written, after all of that.
    await put(1, addresses.slice(100, 199));
    await live.until("249 nodes", () => nodes().length === many - 1);
    expect(scene.view.writesSince(from)).toEqual(["PUT upstreams"]);
    const kept = addresses.filter((address) => address !== addresses[199]).map((address) => `${address}:80`);
    expect(nodes()).toEqual(kept.toSorted());
  });
});
