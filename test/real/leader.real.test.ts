import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { AdminJournal } from "../../src/sim/admin/admin-exchange.ts";
import { startAdminServer, type AdminServer } from "../../src/sim/admin/admin-server.ts";
import { startControlPlane, type ControlPlane } from "./control-plane/control-plane.ts";
import { describeReal } from "./control-plane/describe-real.ts";
import { createNamespace, createReadyPod } from "./control-plane/pods.ts";
import { TranslatorProcess } from "./translator-process.ts";

const leader = {
  ...{ enabled: true, cluster: "home", duration: "5s", renewDeadline: "4s", retryPeriod: "500ms" },
};
const leasePath = "/apis/coordination.k8s.io/v1/namespaces/apisix-translator/leases/apisix-translator";

describeReal("One leader by a real Lease", () => {
  let plane: ControlPlane;
  let gateway: AdminServer;
  let pods = 0;
  const running: TranslatorProcess[] = [];
  const journal = new AdminJournal(100_000);

  beforeAll(async () => {
    plane = await startControlPlane({ clusters: ["home", "away"], home: "home" });
    gateway = await startAdminServer();
    gateway.admin.onExchange(journal.add);
    for (const { server } of plane.clusters) await createNamespace(server.admin, "shop");
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.close()));
  });

  afterAll(async () => {
    await gateway?.close();
    await plane?.close();
  });

  const start = async (): Promise<TranslatorProcess> => {
    const { url: adminUrl, adminKey } = gateway;
    const settings = { leader, shards: { count: 1 } };
    const { clusters } = plane;
    const translator = await TranslatorProcess.start({
      ...{ clusters, adminUrl, adminKey, settings, gateway: { timeout: "1s" } },
    });
    running.push(translator);
    return translator;
  };
  const isLeading = (translator: TranslatorProcess): Promise<void> =>
    translator.until("leadership", async () => (await translator.status()).role === "leader");
  const create = async (cluster: string, count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      const name = `pod-${pods++}`;
      const routes = JSON.stringify([{ name: "web", port: 8080, host: `${name}.example.com` }]);
      await createReadyPod(plane.cluster(cluster).server.admin, {
        ...{ namespace: "shop", name, labels: { "apisix-translator.io/enabled": "true" } },
        ...{ annotations: { "apisix-translator.io/routes": routes }, ports: [{ containerPort: 8080 }] },
        ips: [`10.1.${Math.floor(pods / 200)}.${pods % 200}`],
      });
    }
  };
  const routed = (translator: TranslatorProcess): Promise<void> =>
    translator.until("every route", async () => (await translator.status()).routes.Routed === pods);
  const holder = async (): Promise<unknown> => {
    const { metadata, spec } = await plane.cluster("home").server.admin.get(leasePath);
    return { address: metadata.annotations?.["apisix-translator.io/address"], ...(spec as object) };
  };

  it("L3: passes from one to the next on SIGTERM, and on SIGKILL after its duration, with no write that changes nothing", async () => {
    const a = await start();
    await isLeading(a);
    const b = await start();
    expect(await b.status()).toMatchObject({ role: "standby", leader: a.address });
    expect(await holder()).toMatchObject({
      address: a.address,
      leaseDurationSeconds: 5,
      leaseTransitions: 0,
    });
    await create("home", 10);
    await create("away", 10);
    await routed(a);

    const before = journal.writes.length;
    expect(await a.stop()).toBe(0);
    await isLeading(b);
    expect(await holder()).toMatchObject({ address: b.address, leaseTransitions: 1 });
    const c = await start();
    expect((await c.status()).role).toBe("standby");
    b.signal("SIGKILL");
    await isLeading(c);
    await routed(c);
    expect(journal.writes.slice(before)).toEqual([]);
    expect(await c.stop()).toBe(0);
    // What RBAC allows is enough, for the watch of the one Lease too.
    for (const { output } of [a, b, c]) expect(output).not.toContain('"status":403');
    expect(await holder()).toMatchObject({
      holderIdentity: "",
      leaseDurationSeconds: 1,
      leaseTransitions: 2,
    });
  });

  it("L1: one that was frozen for longer than the Lease writes nothing when it goes on, and exits", async () => {
    const a = await start();
    await isLeading(a);
    const b = await start();
    const mend = gateway.admin.faults.add({ fault: { kind: "delay", ms: 100, when: "before" } });
    const frozenAt = journal.writes.length;
    const creating = Promise.all([create("home", 20), create("away", 20)]);
    await a.until("writes", () => journal.writes.length > frozenAt + 5);
    a.signal("SIGSTOP");
    await creating;
    await isLeading(b);
    await routed(b);
    const before = journal.writes.length;
    a.signal("SIGCONT");
    expect(await a.exited()).toBe(1);
    expect(journal.writes.slice(before)).toEqual([]);
    mend();
  });

  it("L2: a leader that cannot reach its Lease, but APISIX, exits before another may lead; nothing is deleted", async () => {
    const a = await start();
    await isLeading(a);
    await routed(a);
    const before = journal.writes.length;
    const { process: server } = plane.cluster("home").server;
    await server.stop();
    const code = a.exited();
    let isOver = false;
    void code.then(() => (isOver = true));
    while (!isOver) await create("away", 1);
    expect(await code).toBe(1);
    await server.start();
    const b = await start();
    await isLeading(b);
    await routed(b);
    const deletes = journal.writes.slice(before).filter(({ method }) => method !== "PUT");
    expect([deletes, journal.writes.length > before]).toEqual([[], true]);
  });
});
