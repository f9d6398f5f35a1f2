import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { describeReal } from "./control-plane/describe-real.ts";
import { kubeconfigFor } from "./control-plane/kubeconfig.ts";
import { createNamespace, createReadyPod, reportRunning } from "./control-plane/pods.ts";
import { account, grantAll, requestToken } from "./control-plane/rights.ts";
import { createManualService } from "./control-plane/services.ts";
import { declaring, Scene } from "./scene.ts";
import type { TranslatorProcess } from "./translator-process.ts";

const clusters = ["no-pods", "no-slices", "no-nodes"] as const;
const accounts = `/api/v1/namespaces/${account.namespace}/serviceaccounts`;

describeReal("What tokens may do", () => {
  let scene: Scene;

  beforeAll(async () => {
    const without = { "no-pods": ["pods"], "no-slices": ["endpointslices"], "no-nodes": ["nodes"] };
    scene = await Scene.open({ clusters, without });
    for (const cluster of clusters) {
      const admin = scene.admin(cluster);
      await createNamespace(admin, "shop");
      await createReadyPod(admin, {
        ...{ namespace: "shop", name: "p", ports: [{ containerPort: 8080 }], ips: ["10.1.0.1"] },
        ...declaring({ name: "web", port: 8080, host: `p.${cluster}.example.com` }),
      });
      await createManualService(admin, {
        ...{ namespace: "shop", name: "s", port: 80, addresses: ["10.1.0.2"] },
        ...declaring({ name: "web", port: 80, host: `s.${cluster}.example.com` }),
      });
    }
  });

  afterEach(() => scene.end());

  afterAll(() => scene?.close());

  const kinds = async (live: TranslatorProcess, cluster: string): Promise<Record<string, string>> => {
    const { clusters: all } = await live.status();
    const found = all.find(({ name }) => name === cluster)?.kinds ?? {};
    return Object.fromEntries(
      Object.entries(found).map(([kind, { state, reason = "" }]) => [
        kind,
        /\b40[13]\b/.exec(reason)?.[0] ?? state,
      ]),
    );
  };
  const creates = (cluster: string, name: string): string[] =>
    ["PUT upstreams", "PUT routes"].map((act) => `${act} ${cluster}/shop/${name}/web`);

  it("403 on one kind harms what is made from that kind; once it is allowed, that comes too", async () => {
    const live = await scene.run();
    await live.until("four routes", async () => (await live.status()).routes.Routed === 4);
    const all = { pods: "synced", services: "synced", endpointslices: "synced" };
    expect(await kinds(live, "no-pods")).toMatchObject({ ...all, pods: "403" });
    expect(await kinds(live, "no-slices")).toMatchObject({ ...all, endpointslices: "403" });
    expect(await kinds(live, "no-nodes")).toMatchObject(all);
    const first = [
      ...creates("no-pods", "s"),
      ...creates("no-slices", "p"),
      ...creates("no-nodes", "p"),
      ...creates("no-nodes", "s"),
    ];
    await scene.wrote(live, 0, first);

    for (const cluster of clusters) await grantAll(scene.admin(cluster));
    await live.until("six routes", async () => (await live.status()).routes.Routed === 6);
    const then = [...creates("no-pods", "p"), ...creates("no-slices", "s")];
    await scene.wrote(live, first.length, then);
  });

  it("a token that is revoked freezes its cluster; another one in its place goes on, and writes only what changed", async () => {
    const { view } = scene;
    const [cluster] = clusters;
    const admin = scene.admin(cluster);
    const live = await scene.run();
    await live.until("six routes", async () => (await live.status()).routes.Routed === 6);
    const { mark } = view;
    await admin.delete(`${accounts}/${account.name}`);
    await live.until("all is 401", async () =>
      Object.values(await kinds(live, cluster)).every((state) => state === "401"),
    );
    const pod = { namespace: "shop", name: "p", ips: ["10.1.0.1"] as const };
    await reportRunning(admin, pod, false);
    await reportRunning(scene.admin("no-nodes"), pod, false);
    await live.until("the other", () => view.nodesOf("p.no-nodes.example.com")?.length === 0);
    expect(view.namedSince(mark)).toEqual(["PUT upstreams no-nodes/shop/p/web"]);

    await admin.create(accounts, { metadata: { name: account.name } });
    const token = await requestToken(admin);
    await live.replaceKubeconfig(cluster, kubeconfigFor(scene.plane.cluster(cluster).server, token));
    await live.until("what changed", () => view.nodesOf(`p.${cluster}.example.com`)?.length === 0);
    expect(await kinds(live, cluster)).toMatchObject({ pods: "synced", services: "synced" });
    expect(view.namedSince(mark + 1)).toEqual([`PUT upstreams ${cluster}/shop/p/web`]);
    expect(live.output).not.toContain(token);
  });
});
