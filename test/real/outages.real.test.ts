import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { describeReal } from "./control-plane/describe-real.ts";
import { kubeconfigFor } from "./control-plane/kubeconfig.ts";
import { createNamespace, podPath, reportRunning } from "./control-plane/pods.ts";
import { account, applyRights, requestToken } from "./control-plane/rights.ts";
import { Scene } from "./scene.ts";
import type { TranslatorProcess } from "./translator-process.ts";

const count = 10;

describeReal("API servers and etcd that fail under two clusters", () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.open({ clusters: ["east", "west"] });
    for (const { server } of scene.plane.clusters) await createNamespace(server.admin, "shop");
    for (const cluster of ["east", "west"]) await scene.createPods(cluster, "pod", count);
  });

  afterEach(() => scene.end());

  afterAll(() => scene?.close());

  const stateOf = async (live: TranslatorProcess, cluster: string): Promise<string | undefined> =>
    (await live.status()).clusters.find(({ name }) => name === cluster)?.kinds.pods?.state;
  const is = (live: TranslatorProcess, cluster: string, state: string): Promise<void> =>
    live.until(`${cluster} ${state}`, async () => (await stateOf(live, cluster)) === state);
  const routed = async (live: TranslatorProcess): Promise<void> => {
    const pods = await Promise.all(
      scene.plane.clusters.map(({ server }) => server.admin.list("/api/v1/pods")),
    );
    await live.until(
      "every Pod's route",
      async () => (await live.status()).routes.Routed === pods.flat().length,
    );
  };
  const server = (cluster: string) => scene.plane.cluster(cluster).server.process;
  const flip = (cluster: string, name: string, ready: boolean, ip = "10.99.0.1"): Promise<unknown> =>
    reportRunning(scene.admin(cluster), { namespace: "shop", name, ips: [ip] }, ready);
  const remove = (cluster: string, name: string): Promise<unknown> =>
    scene.admin(cluster).delete(podPath({ namespace: "shop", name }), { gracePeriodSeconds: 0 });
  const goes = (cluster: string, name: string): string[] =>
    ["PUT upstreams", "DELETE routes", "DELETE upstreams"].map((act) => `${act} ${cluster}/shop/${name}/web`);
  const gone = (live: TranslatorProcess, ...hosts: string[]): Promise<void> =>
    live.until("they are gone", () => hosts.every((host) => scene.view.routeOf(host) === undefined));

  it("an API server that is killed and started again costs no write; what changes meanwhile and after is written once", async () => {
    const live = await scene.run();
    await routed(live);
    const { mark } = scene.view;
    await server("east").kill();
    await is(live, "east", "degraded");
    await flip("west", "pod-0", false);
    await live.until("west goes on", () => scene.view.nodesOf("pod-0.west.example.com")?.length === 0);
    await server("east").start();
    await is(live, "east", "synced");
    await remove("east", "pod-9");
    await flip("west", "pod-0", true, "10.2.0.0");
    await gone(live, "pod-9.east.example.com");
    await live.until("pod-0", () => scene.view.nodesOf("pod-0.west.example.com")?.length === 1);
    const flips = Array<string>(2).fill("PUT upstreams west/shop/pod-0/web");
    await scene.wrote(live, mark, [...goes("east", "pod-9"), ...flips]);
  });

  /** What the translator asked east for about Pods. */
  const podRequests = async (): Promise<readonly string[]> =>
    (await scene.plane.cluster("east").server.requests())
      .filter(({ user, path }) => user.endsWith(`:${account.name}`) && path.startsWith("/api/v1/pods?"))
      .map(({ path }) => path);

  it("W1: a resourceVersion that a restarted API server does not know any more is answered 410 and leads to a new list", async () => {
    const live = await scene.run();
    await routed(live);
    const { mark } = scene.view;
    live.signal("SIGSTOP");
    // What it is to miss must not wait in its socket.
    await server("east").kill();
    await server("east").start();
    const before = await podRequests();
    await remove("east", "pod-8");
    await flip("east", "pod-1", false);
    await scene.createPods("east", "new", 1);
    await server("east").kill();
    await scene.plane.etcd.compact();
    await server("east").start();
    live.signal("SIGCONT");
    await gone(live, "pod-8.east.example.com");
    await live.until("new-0", () => scene.view.nodesOf("new-0.east.example.com")?.length === 1);
    await flip("east", "pod-1", true, "10.1.0.1");
    await live.until("pod-1", () => scene.view.nodesOf("pod-1.east.example.com")?.length === 1);
    const expected = [
      ...goes("east", "pod-8"),
      ...["PUT upstreams", "PUT routes"].map((act) => `${act} east/shop/new-0/web`),
      ...Array<string>(2).fill("PUT upstreams east/shop/pod-1/web"),
    ];
    await scene.wrote(live, mark, expected);
    const asked = (await podRequests()).slice(before.length);
    const resumed = asked.findIndex((path) => /&watch=true.*&resourceVersion=\d/.test(path));
    const [, resumedAt] = /&resourceVersion=(\d+)/.exec(asked[resumed] ?? "") ?? [];
    const again = await scene
      .admin("east")
      .request("GET", `/api/v1/pods?watch=1&timeoutSeconds=5&resourceVersion=${resumedAt}`);
    expect(again.text).toContain('"code":410');
    expect(asked.slice(resumed + 1)).toContainEqual(expect.stringContaining("sendInitialEvents=true"));
  });

  it("W7: etcd rolled back to an older copy: what vanished is held by the guard until it is approved", async () => {
    const live = await scene.run({ guard: { maxDeletes: 2, maxDeleteRatio: 0 } });
    await routed(live);
    await scene.plane.etcd.backUp();
    await scene.createPods("east", "later", 5);
    await flip("west", "pod-2", false);
    await routed(live).catch(() => {});
    await live.until("later-4", () => scene.view.nodesOf("later-4.east.example.com")?.length === 1);
    await live.until("pod-2", () => scene.view.nodesOf("pod-2.west.example.com")?.length === 0);
    const { mark } = scene.view;
    await Promise.all(["east", "west"].map((cluster) => server(cluster).kill()));
    await scene.plane.etcd.restore();
    await Promise.all(["east", "west"].map((cluster) => server(cluster).start()));
    await live.until("the guard holds", async () => (await live.status()).guard.held === 5);
    await live.until("pod-2 is back", () => scene.view.nodesOf("pod-2.west.example.com")?.length === 1);
    expect(scene.view.namedSince(mark)).toEqual(["PUT upstreams west/shop/pod-2/web"]);
    const later = Array.from({ length: 5 }, (_, index) => `later-${index}`);
    await live.post(`guard/approve?batch=${(await live.status()).guard.batch ?? ""}`);
    await gone(live, ...later.map((name) => `${name}.east.example.com`));
    await live.until("nothing is held", async () => (await live.status()).guard.held === 0);
    const all = later.flatMap((name) => goes("east", name));
    await scene.wrote(live, mark + 1, all);
  });

  it("M3: a cluster whose etcd was wiped answers with another identity: refused, also after a restart, nothing deleted", async () => {
    const live = await scene.run();
    await routed(live);
    const { mark } = scene.view;
    const east = scene.plane.cluster("east").server;
    await east.process.kill();
    await scene.plane.etcd.deleteAll("/east/");
    await east.process.start();
    await applyRights(east.admin, { isHome: false });
    const rebuilt = kubeconfigFor(east, await requestToken(east.admin));
    await live.replaceKubeconfig("east", rebuilt);
    await live.until("the new session is refused", () => live.output.includes("another cluster answers"));
    expect(await stateOf(live, "east")).toBe("degraded");
    await flip("west", "pod-3", false);
    await live.until("west goes on", () => scene.view.nodesOf("pod-3.west.example.com")?.length === 0);
    await live.stop();
    await live.start();
    await live.until("east is refused", async () =>
      JSON.stringify((await live.status()).clusters).includes("another cluster answers"),
    );
    await flip("west", "pod-3", true, "10.2.0.3");
    await live.until("west goes on", () => scene.view.nodesOf("pod-3.west.example.com")?.length === 1);
    expect(scene.view.namedSince(mark)).toEqual(Array<string>(2).fill("PUT upstreams west/shop/pod-3/web"));
  });
});
