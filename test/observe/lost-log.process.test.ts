import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startAdminServer, type AdminServer } from "../../src/sim/admin/admin-server.ts";
import { startFleet, type Fleet } from "../../src/sim/kubernetes/fleet.ts";
import { pod, withReady } from "../../src/sim/kubernetes/pod.ts";
import { GatewayView } from "../pipeline/gateway-view.ts";
import { TranslatorProcess } from "../real/translator-process.ts";

describe("a log that takes nothing any more", { timeout: 60_000 }, () => {
  let fleet: Fleet;
  let gateway: AdminServer;
  let translator: TranslatorProcess | undefined;

  beforeEach(async () => {
    fleet = await startFleet({ clusters: ["east"] });
    gateway = await startAdminServer();
  });

  afterEach(async () => {
    await translator?.close();
    await gateway.close();
    await fleet.close();
  });

  const start = async (logFile?: string): Promise<TranslatorProcess> => {
    const { server } = fleet.cluster("east");
    translator = await TranslatorProcess.start({
      ...{ clusters: [{ name: "east", kubeconfig: server.kubeconfig() }], adminUrl: gateway.url },
      ...{ adminKey: gateway.adminKey, settings: { shards: { count: 1 } } },
      ...(logFile === undefined ? {} : { logFile }),
    });
    return translator;
  };
  /** Routes come, follow and go, and the API server fails: much that is logged. */
  const routesGoOn = async (live: TranslatorProcess): Promise<void> => {
    const view = new GatewayView(gateway);
    const { store, server } = fleet.cluster("east");
    for (let index = 0; index < 20; index++) {
      const routes = [{ name: "web", port: 8080, host: `pod-${index}.example.com` }];
      store.create("pods", pod({ namespace: "shop", name: `pod-${index}`, routes }));
    }
    await live.until("routes", () => view.routes().length === 20);
    await server.stop();
    store.patch("pods", "shop/pod-3", (object) => withReady(object, false));
    await server.start();
    await live.until("followed", () => view.nodesOf("pod-3.example.com")?.length === 0);
    store.remove("pods", "shop/pod-4");
    await live.until("gone", () => view.upstreams().length === 19);
    expect(view.tally(0)).toEqual({
      ...{ "PUT upstreams": 22, "PUT routes": 20, "DELETE routes": 1, "DELETE upstreams": 1 },
    });
    expect(await live.stop()).toBe(0);
  };

  it("on a full disk the translator goes on routing, and ends in order", async () => {
    await routesGoOn(await start("/dev/full"));
  });

  it("where its reader is gone, too", async () => {
    const live = await start();
    live.stopReading();
    await routesGoOn(live);
  });
});
