import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdminJournal } from "../../src/sim/admin/admin-exchange.ts";
import { startAdminServer, type AdminServer } from "../../src/sim/admin/admin-server.ts";
import { startFleet, type Fleet } from "../../src/sim/kubernetes/fleet.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import { TranslatorProcess } from "../real/translator-process.ts";

const leader = {
  ...{ enabled: true, cluster: "home", duration: "4s", renewDeadline: "3s", retryPeriod: "500ms" },
};

describe("two instances as processes", { timeout: 60_000 }, () => {
  let fleet: Fleet;
  let gateway: AdminServer;
  let journal: AdminJournal;
  const running: TranslatorProcess[] = [];

  beforeEach(async () => {
    fleet = await startFleet({ clusters: ["home"] });
    fleet.cluster("home").store.create("namespaces", { metadata: { name: "apisix-translator" } });
    gateway = await startAdminServer();
    journal = new AdminJournal(10_000);
    gateway.admin.onExchange(journal.add);
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.close()));
    await gateway.close();
    await fleet.close();
  });

  const start = async (): Promise<TranslatorProcess> => {
    const { server } = fleet.cluster("home");
    const translator = await TranslatorProcess.start({
      ...{ clusters: [{ name: "home", kubeconfig: server.kubeconfig() }], adminUrl: gateway.url },
      ...{
        adminKey: gateway.adminKey,
        settings: { leader, shards: { count: 1 } },
        gateway: { timeout: "1s" },
      },
    });
    running.push(translator);
    return translator;
  };
  const role = async (translator: TranslatorProcess): Promise<string> => (await translator.status()).role;
  const isLeading = (translator: TranslatorProcess): Promise<void> =>
    translator.until("leadership", async () => (await role(translator)) === "leader");
  const create = (from: number, to: number): void => {
    for (let index = from; index < to; index++) {
      const routes = [{ name: "web", port: 8080, host: `pod-${index}.example.com` }];
      fleet.cluster("home").store.create("pods", pod({ namespace: "shop", name: `pod-${index}`, routes }));
    }
  };
  const routes = (): number => gateway.admin.store.size("routes");
  const hasRoutes = (translator: TranslatorProcess, count: number): Promise<void> =>
    translator.until(
      `${count} routes`,
      async () => routes() === count && (await translator.status()).routes.Routed === count,
    );
  /** No object was written twice: what one has written the other leaves as it is. */
  const writtenOnce = (): void => {
    const puts = journal.writes.map(({ method, path }) => `${method} ${path}`);
    expect(puts).toHaveLength(new Set(puts).size);
  };
  it("L3: SIGTERM under load hands over in order, and a killed leader's follower writes nothing that did not change", async () => {
    create(0, 20);
    const a = await start();
    await isLeading(a);
    const b = await start();
    expect([await role(b), (await b.status()).leader]).toEqual(["standby", a.address]);
    const asked = await fetch(`http://${b.address}/explain?target=home/shop/pod/pod-1`);
    expect([asked.status, await asked.json()]).toEqual([
      503,
      { error: expect.any(String), leader: a.address },
    ]);
    const watched = (): number => fleet.cluster("home").server.traffic.openWatches("pods").length;
    expect(watched()).toBe(1);

    create(20, 60);
    await a.until("the burst", () => routes() > 20);
    expect(await a.stop()).toBe(0);
    await isLeading(b);
    await hasRoutes(b, 60);
    writtenOnce();

    const c = await start();
    expect(await role(c)).toBe("standby");
    const before = journal.writes.length;
    b.signal("SIGKILL");
    await isLeading(c);
    await hasRoutes(c, 60);
    expect(journal.writes.slice(before)).toEqual([]);
    expect(await c.stop()).toBe(0);
    expect(
      fleet.cluster("home").store.get("leases", "apisix-translator/apisix-translator")?.spec,
    ).toMatchObject({
      ...{ holderIdentity: "", leaseTransitions: 2 },
    });
  });

  it("L1, L2: a leader that was frozen in mid-write, or that cannot reach its Lease, writes nothing more and exits", async () => {
    const a = await start();
    await isLeading(a);
    const b = await start();
    gateway.admin.faults.add({ fault: { kind: "delay", ms: 20, when: "before" } });
    create(0, 150);
    await a.until("the burst", () => routes() > 10);
    a.signal("SIGSTOP");
    await isLeading(b);
    await hasRoutes(b, 150);
    const before = journal.writes.length;
    a.signal("SIGCONT");
    expect(await a.exited()).toBe(1);
    expect(journal.writes.length).toBe(before);
    expect(a.output).toContain("leadership is lost");

    // All the while there is something to write.
    fleet.cluster("home").server.faults.onRequest({ resource: "leases" }, { type: "reset" });
    let next = 150;
    const more = setInterval(() => create(next, ++next), 20);
    const code = await b.exited();
    clearInterval(more);
    expect([code, journal.writes.length > before]).toEqual([1, true]);
    expect(b.output).toContain("leadership is lost");
  });
});
