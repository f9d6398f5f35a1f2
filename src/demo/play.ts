import type { Io } from "../commands/command.ts";
import { loadConfig } from "../config.ts";
import type { Config } from "../config.ts";
import { Controller } from "../controller.ts";
import { HttpServer } from "../observe/http-server.ts";
import { createLog } from "../observe/log.ts";
import { createMetrics } from "../observe/metrics.ts";
import { openOutside } from "../outside.ts";
import { systemClock } from "../runtime.ts";
import { startAdminServer } from "../sim/admin/admin-server.ts";
import type { AdminServer } from "../sim/admin/admin-server.ts";
import { startFleet } from "../sim/kubernetes/fleet.ts";
import type { Fleet } from "../sim/kubernetes/fleet.ts";
import { clusterNames, fillFleet, live } from "./demo-fleet.ts";
import { showProgress } from "./progress.ts";
import type { Stage } from "./stage.ts";
import { count, pause, StoryEnded, WriteCounter } from "./stage.ts";
import { scenes } from "./story.ts";
import { summaryOf } from "./summary.ts";

const usualLength = 30_000;
const heartbeat = 100;

/** Plays the story; `length` milliseconds, then ends; without it gentle life goes on until somebody ends it. */
export async function playDemo(io: Io, length: number | undefined): Promise<void> {
  const ending = AbortSignal.any([io.signal, ...(length === undefined ? [] : [AbortSignal.timeout(length)])]);
  const tell = (line: string): void => io.stdout.write(`${line}\n`);
  const fleet = await startFleet({ clusters: clusterNames });
  const gateway = await startAdminServer();
  const writes = new WriteCounter();
  gateway.admin.onExchange(writes.add);
  const pods = fillFleet(fleet);
  const config = configOf(fleet, gateway);
  const log = createLog({ level: "error", format: "text", stream: io.stderr });
  const metrics = createMetrics({ withProcess: false });
  const failed = Promise.withResolvers<never>();
  const outside = openOutside(config, { env: {}, log, metrics, fault: failed.reject });
  const controller = new Controller(config, outside);
  const http = new HttpServer({
    observed: controller.observation,
    ...config.observe,
    log,
    clock: systemClock,
  });
  const { listen } = await http.start();
  tell(
    `${count(clusterNames.length, "simulated cluster")} (${clusterNames.join(", ")}) with ${pods} Pods, one simulated APISIX`,
  );
  tell(`look at it:  curl -s -H 'X-API-KEY: ${gateway.adminKey}' ${gateway.url}/apisix/admin/routes`);
  tell(`       and:  curl -s http://${listen.host}:${listen.port}/status\n`);

  const stage: Stage = { fleet, gateway, controller, random: Math.random, tell, writes, signal: ending };
  const started = performance.now();
  const progress = showProgress(io.stderr, metrics, gateway);
  try {
    await Promise.race([story(stage, started, length ?? usualLength), failed.promise]);
  } catch (error) {
    if (!(error instanceof StoryEnded)) throw error;
  } finally {
    progress.stop();
    tell(`\n${summaryOf(metrics.totals()).trimEnd()}`);
    await controller.stop();
    await Promise.all([outside.close(), http.stop(), fleet.close(), gateway.close()]);
  }
}

async function story(stage: Stage, started: number, length: number): Promise<never> {
  const { controller, fleet, tell, gateway, random } = stage;
  await controller.start();
  await controller.firstReconcile.done;
  const took = ((performance.now() - started) / 1000).toFixed(1);
  tell(`first reconcile: ${gateway.admin.store.size("routes")} routes and as many upstreams after ${took} s`);
  const stores = fleet.clusters.map(({ store }) => store);
  const pulse = setInterval(() => live(stores, random), heartbeat);
  stage.signal.addEventListener("abort", () => clearInterval(pulse), { once: true });
  const left = started + length - performance.now();
  const most = (left * 0.9) / scenes.length;
  for (const scene of scenes) {
    await pause(stage, most * 0.05);
    await scene.play(stage, most * 0.95);
  }
  tell("that was the story; gentle life goes on");
  for (;;) await pause(stage, 60_000);
}

function configOf(fleet: Fleet, gateway: AdminServer): Config {
  const settings = {
    clusters: fleet.clusters.map(({ name, kubeconfigPath }) => ({ name, kubeconfig: kubeconfigPath })),
    gateway: { adminUrls: [gateway.url] },
    leader: { enabled: false },
    throttle: { deleteGrace: "500ms" },
    observe: { listen: "127.0.0.1:0", admin: "127.0.0.1:0" },
  };
  return loadConfig({
    flags: [{ name: "config", value: "demo" }],
    env: { APISIX_ADMIN_KEY: gateway.adminKey },
    readFile: () => JSON.stringify(settings),
  });
}
