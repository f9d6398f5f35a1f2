import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdminJournal } from "../../src/sim/admin/admin-exchange.ts";
import { startAdminServer, type AdminServer } from "../../src/sim/admin/admin-server.ts";
import { startFleet, type Fleet } from "../../src/sim/kubernetes/fleet.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import { TcpProxy } from "../pipeline/tcp-proxy.ts";
import { Started } from "./started.ts";

const leader = { cluster: "home", duration: "4s", renewDeadline: "3s", retryPeriod: "500ms" };
const prlimit = "/usr/bin/prlimit";

describe("start and stop of the process", () => {
  let fleet: Fleet;
  let gateway: AdminServer;
  let door: TcpProxy;
  let journal: AdminJournal;
  const running: Started[] = [];

  beforeEach(async () => {
    fleet = await startFleet({ clusters: ["home", "east"] });
    fleet.cluster("home").store.create("namespaces", { metadata: { name: "apisix-translator" } });
    gateway = await startAdminServer();
    door = await TcpProxy.start(Number(new URL(gateway.url).port));
    journal = new AdminJournal(10_000);
    gateway.admin.onExchange(journal.add);
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.close()));
    await door[Symbol.asyncDispose]();
    await gateway.close();
    await fleet.close();
  });

  const start = (settings: object = {}): Started => {
    const clusters = fleet.clusters.map(({ name, kubeconfigPath }) => ({ name, kubeconfig: kubeconfigPath }));
    const started = new Started(
      {
        ...{ clusters, gateway: { adminUrls: [door.url], timeout: "1s" }, leader },
        ...{ shards: { count: 1 }, throttle: { routeInterval: "0ms" } },
        ...settings,
      },
      { APISIX_ADMIN_KEY: gateway.adminKey },
    );
    running.push(started);
    return started;
  };
  const create = (cluster: string, name: string): void => {
    const routes = [{ name: "web", port: 8080, host: `${name}.example.com` }];
    fleet.cluster(cluster).store.create("pods", pod({ namespace: "shop", name, routes }));
  };
  const routes = (): number => gateway.admin.store.size("routes");
  const holder = (): unknown => {
    const { spec } = fleet.cluster("home").store.get("leases", "apisix-translator/apisix-translator") ?? {};
    return (spec as { readonly holderIdentity?: string } | undefined)?.holderIdentity;
  };
  const isReady = async (started: Started): Promise<boolean> => (await started.get("/readyz")).status === 200;

  it.each([
    ["APISIX last", ["lease", "east", "APISIX"]],
    ["APISIX first", ["APISIX", "east", "lease"]],
  ])("waits for whatever is missing, says what for once, and goes on when it comes: %s", async (_, order) => {
    const { server: home } = fleet.cluster("home");
    const { server: east } = fleet.cluster("east");
    create("home", "at-home");
    create("east", "in-the-east");
    await Promise.all([home.stop(), east.stop(), door.cut()]);
    const started = start();
    const comes: Readonly<Record<string, () => Promise<void>>> = {
      lease: () => home.start(),
      east: () => east.start(),
      APISIX: () => door.restore(),
    };
    await started.until("the Lease to be missed", () => started.troubles(/lease/i).length > 0);
    expect((await started.get("/livez")).status).toBe(200);
    for (const what of order) {
      await comes[what]?.();
      if (what === "lease" && order.at(-1) !== what)
        await started.until("APISIX to be missed", async () =>
          /APISIX/.test((await started.get("/readyz")).text),
        );
    }
    await started.until("both routes", () => routes() === 2);
    await started.until("readiness", () => isReady(started));
    const said = started
      .troubles(/./)
      .map(({ msg, cluster = "", reason = "" }) => `${msg} ${cluster} ${reason}`);
    expect(said.length).toBeLessThan(12);
    expect(said).toEqual([...new Set(said)]);
    started.child.kill("SIGTERM");
    expect([await started.exit(), holder()]).toEqual([0, ""]);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("ends with 0 at %s while it waits for APISIX", async (signal) => {
    await door.cut();
    const started = start();
    await started.until("APISIX to be missed", () => started.troubles(/APISIX could not be read/).length > 0);
    started.child.kill(signal);
    expect([await started.exit(), holder()]).toEqual([0, ""]);
  });

  it("ends in order when its terminal closes, and opens no debugger for whoever may send it signals", async () => {
    const started = start();
    await started.until("readiness", () => isReady(started));
    started.child.kill("SIGUSR1");
    // What it answers comes after the signal's own answer.
    await started.get("/status");
    for (const _ of ["by the kernel", "by the shell"]) started.child.kill("SIGHUP");
    expect([await started.exit(), holder()]).toEqual([0, ""]);
    expect(started.output).not.toContain("Debugger");
  });

  it("ends with 0 during the first list, and as standby, and leaves the Lease to who has it", async () => {
    fleet.cluster("east").server.faults.onRequest({ resource: "pods", verb: "list" }, { type: "hang" });
    fleet.cluster("east").server.faults.watchList = false;
    const first = start();
    const { traffic } = fleet.cluster("east").server;
    await traffic.until(() =>
      traffic.requests.some(({ verb, resource }) => verb === "list" && resource === "pods"),
    );
    const held = holder();
    const standby = start();
    await standby.until("to stand by", async () => /"standby"/.test((await standby.get("/status")).text));
    standby.child.kill("SIGINT");
    expect([await standby.exit(), holder()]).toEqual([0, held]);
    first.child.kill("SIGTERM");
    expect([await first.exit(), holder()]).toEqual([0, ""]);
    expect(journal.writes).toEqual([]);
  });

  it("ends a burst in order at the first signal, and at once at the second", async () => {
    const started = start();
    await started.until("readiness", () => isReady(started));
    gateway.admin.faults.add({ fault: { kind: "delay", ms: 300, when: "before" } });
    for (let at = 0; at < 40; at++) create("home", `pod-${at}`);
    await started.until("the burst", () => routes() > 0);
    started.child.kill("SIGTERM");
    expect([await started.exit(), holder()]).toEqual([0, ""]);
    for (const id of gateway.admin.store.list("routes").map((route) => route.id))
      expect(gateway.admin.store.get("upstreams", id)).toBeDefined();

    gateway.admin.faults.clear();
    const again = start({
      gateway: { adminUrls: [door.url], timeout: "2s" },
      leader: { ...leader, duration: "12s", renewDeadline: "8s" },
    });
    await again.until("readiness", () => isReady(again));
    gateway.admin.faults.setEtcd("hung");
    const before = journal.writes.length;
    const asked = door.startLines.length;
    create("home", "one-more");
    const isAsked = (): boolean => door.startLines.slice(asked).some((line) => line.startsWith("PUT "));
    await again.until("a write that hangs", isAsked);
    again.child.kill("SIGTERM");
    await again.until("the end to begin", () => again.hasSaid("stopping: what is in flight ends"));
    again.child.kill("SIGTERM");
    expect(await again.exit()).toBe(1);
    expect(again.hasSaid("stopped")).toBe(false);
    expect(journal.writes.length).toBe(before);
  });

  it("ends with 2 where the start cannot succeed, and says everything that is wrong", async () => {
    const started = start({
      gateway: { adminUrls: [door.url], adminKeyFile: "/nowhere/key" },
      shards: { count: -1 },
    });
    const none = new Started({ gateway: { adminUrls: [door.url], adminKeyFile: "/nowhere/key" } });
    running.push(none);
    expect(await started.exit()).toBe(2);
    expect(started.output).toMatch(/shards\.count/);
    expect(await none.exit()).toBe(2);
    expect(none.output).toMatch(
      /adminKeyFile: got "\/nowhere\/key", which cannot be read: there is no such file/,
    );
  });

  it.skipIf(!existsSync(prlimit))(
    "out of file descriptors takes nothing away, says so, and goes on when there are some again",
    async () => {
      create("home", "at-home");
      create("east", "in-the-east");
      const started = start({ leader: { enabled: false } });
      await started.until("readiness", () => isReady(started));
      expect(routes()).toBe(2);
      const pid = String(started.child.pid);
      const limit = (soft: number): void => void execFileSync(prlimit, ["--pid", pid, `--nofile=${soft}:`]);
      const written = journal.writes.length;
      // Below every socket that it has: none can be opened again.
      limit(24);
      for (const { server } of fleet.clusters) server.traffic.openWatches().forEach((watch) => watch.cut());
      const { traffic } = fleet.cluster("home").server;
      await started.until("the want to be named", () =>
        started.troubles(/EMFILE/).some(({ cluster }) => cluster !== undefined),
      );
      expect(started.output).toMatch(/raise its limit/);
      expect([journal.writes.length, routes()]).toEqual([written, 2]);
      limit(1024);
      await started.until("a new watch", () => traffic.openWatches("pods").length > 0);
      create("home", "one-more");
      await started.until("its route", () => routes() === 3);
      const isHealed = async (): Promise<boolean> => !/degraded"/.test((await started.get("/status")).text);
      await started.until("all to be synced", isHealed);
      const paths = journal.writes.map(({ method, path: to }) => `${method} ${to}`);
      expect(paths).toHaveLength(new Set(paths).size);
      expect(started.child.exitCode).toBe(null);
    },
  );
});
