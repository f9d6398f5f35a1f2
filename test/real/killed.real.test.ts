import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { AdminExchange } from "../../src/sim/admin/admin-exchange.ts";
import { describeReal } from "./control-plane/describe-real.ts";
import { createNamespace } from "./control-plane/pods.ts";
import { Scene } from "./scene.ts";
import type { TranslatorProcess } from "./translator-process.ts";

/** The default times: a busy machine must not lose a Lease by itself. */
const leader = { enabled: true, cluster: "home" };
const settings = { leader, shards: { count: 1 }, gateway: { timeout: "1s" } };
const leasePath = "/apis/coordination.k8s.io/v1/namespaces/apisix-translator/leases/apisix-translator";

/** Longer than the Lease: "L1" in leader.real.test.ts. */
describeReal("A translator that is stopped and killed in the middle of its work", () => {
  let scene: Scene;
  let pods = 0;

  beforeAll(async () => {
    scene = await Scene.open({ clusters: ["home", "away"], home: "home" });
    for (const { server } of scene.plane.clusters) await createNamespace(server.admin, "shop");
  });

  afterEach(() => {
    scene.view.gateway.admin.faults.clear();
    return scene.end();
  });

  afterAll(() => scene?.close());

  const isLeading = (live: TranslatorProcess): Promise<void> =>
    live.until("leadership", async () => (await live.status()).role === "leader");
  const create = async (name: string, count: number): Promise<void> => {
    pods += 2 * count;
    await Promise.all(["home", "away"].map((cluster) => scene.createPods(cluster, name, count)));
  };
  const routed = (live: TranslatorProcess): Promise<void> =>
    live.until("every route", async () => (await live.status()).routes.Routed === pods);
  const transitions = async (): Promise<unknown> =>
    ((await scene.admin("home").get(leasePath))["spec"] as { leaseTransitions?: number }).leaseTransitions;
  const slowly = (): void =>
    void scene.view.gateway.admin.faults.add({ fault: { kind: "delay", ms: 100, when: "before" } });
  /** Writes that left things as they were. */
  const needless = (writes: readonly AdminExchange[]): AdminExchange[] =>
    writes.filter(({ changes }) =>
      changes.every(({ before, after }) => sameBody(before?.value, after?.value)),
    );

  it("frozen in mid-burst for less than the Lease, it goes on; nobody takes over, nothing is deleted", async () => {
    const a = await scene.run(settings);
    await isLeading(a);
    const b = await scene.run(settings);
    const before = await transitions();
    slowly();
    const { mark } = scene.view;
    const creating = create("frozen", 30);
    await a.until("the burst", () => scene.view.mark - mark > 20);
    a.signal("SIGSTOP");
    // Longer than the gateway's timeout: what it had asked is answered while nobody reads.
    const at = performance.now();
    await b.until("two seconds", () => performance.now() - at > 2000);
    a.signal("SIGCONT");
    await creating;
    await routed(a);
    expect([await transitions(), (await b.status()).role]).toEqual([before, "standby"]);
    const writes = scene.view.writes.slice(mark);
    expect(writes.filter(({ method }) => method !== "PUT")).toEqual([]);
    // Again only what had no answer when it was frozen: what was under way at once.
    expect(needless(writes).length).toBeLessThanOrEqual(32);
  });

  it("killed with SIGKILL in mid-burst: the next one writes what is missing, and nothing else", async () => {
    const a = await scene.run(settings);
    await isLeading(a);
    await routed(a);
    const b = await scene.run(settings);
    slowly();
    const { mark } = scene.view;
    const creating = create("killed", 40);
    await a.until("the burst", () => scene.view.mark - mark > 40);
    a.signal("SIGKILL");
    await a.exited();
    await isLeading(b);
    await creating;
    await routed(b);
    const writes = scene.view.writes.slice(mark);
    expect(writes.filter(({ method }) => method !== "PUT")).toEqual([]);
    expect(needless(writes)).toEqual([]);
    expect([scene.view.routes().length, scene.view.upstreams().length]).toEqual([pods, pods]);
  });
});

/** But for the times, which APISIX sets. */
function sameBody(before: object | undefined, after: object | undefined): boolean {
  const plain = (value: object | undefined): string =>
    JSON.stringify({ ...value, create_time: 0, update_time: 0 });
  return before !== undefined && plain(before) === plain(after);
}
