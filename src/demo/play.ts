import type { Io } from "../commands/command.ts";
import { version } from "../commands/version.ts";
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
import { progressLine } from "./progress.ts";
import { Screen } from "./screen.ts";
import type { Stage } from "./stage.ts";
import { count, ending, pause, StoryEnded, WriteCounter } from "./stage.ts";
import type { Scene } from "./story.ts";
import { scenes } from "./story.ts";
import { summaryOf } from "./summary.ts";

const usualLength = 30_000;
const heartbeat = 100;

/** Plays the story; `length` milliseconds, then ends; without it gentle life goes on until somebody ends it. */
export async function playDemo(io: Io, length: number | undefined): Promise<void> {
  const started = performance.now();
  const signal = AbortSignal.any([io.signal, ...(length === undefined ? [] : [AbortSignal.timeout(length)])]);
  const screen = new Screen(io);
  const { tell } = screen;
  const fleet = await startFleet({ clusters: clusterNames });
  const gateway = await startAdminServer();
  const writes = new WriteCounter();
  gateway.admin.onExchange(writes.add);
  const pods = fillFleet(fleet);
  const config = configOf(fleet, gateway);
  const log = createLog({ level: "error", format: "text", stream: screen.log });
  const metrics = createMetrics({ version: version(), withProcess: false });
  const failed = Promise.withResolvers<never>();
  const outside = openOutside(config, { env: {}, log, metrics, fault: failed.reject });
  const controller = new Controller(config, outside);
  const { observation: observed, audit } = controller;
  const http = new HttpServer({ observed, ...config.observe, log, clock: systemClock });
  const { listen } = await http.start();
  introduce(tell, pods, gateway, `http://${listen.host}:${listen.port}`);

  const explain: Stage["explain"] = (target) => observed.explain(target);
  const stage: Stage = { fleet, gateway, audit, explain, tell, writes, signal };
  screen.show(() => progressLine(metrics, gateway));
  try {
    const opening = open(stage, controller, started);
    await Promise.race([opening.then(() => story(stage, started + (length ?? usualLength))), failed.promise]);
  } catch (error) {
    if (!(error instanceof StoryEnded)) throw error;
  } finally {
    screen.stop();
    tell(`\n${summaryOf(metrics.totals()).trimEnd()}`);
    await controller.stop();
    await Promise.all([outside.close(), http.stop(), fleet.close(), gateway.close()]);
  }
}

function introduce(tell: Stage["tell"], pods: number, { url, adminKey }: AdminServer, own: string): void {
  tell(
    `${count(clusterNames.length, "simulated cluster")} (${clusterNames.join(", ")}) with ${pods} Pods, one simulated APISIX`,
  );
  tell(`look at it:  curl -s -H 'X-API-KEY: ${adminKey}' ${url}/apisix/admin/routes`);
  tell(`       and:  curl -s ${own}/status\n`);
}

async function open(stage: Stage, controller: Controller, started: number): Promise<void> {
  const { tell, gateway } = stage;
  const first = controller.start().then(() => controller.firstReconcile.done);
  try {
    await Promise.race([first, ending(stage)]);
  } catch (error) {
    if (error instanceof StoryEnded) tell("the time is over, and the first reconcile is not");
    throw error;
  }
  const took = ((performance.now() - started) / 1000).toFixed(1);
  tell(`first reconcile: ${gateway.admin.store.size("routes")} routes and as many upstreams after ${took} s`);
}

/** `until`: when, on the clock of `performance.now()`, the story should be told. */
async function story(stage: Stage, until: number): Promise<never> {
  const { fleet, tell } = stage;
  const stores = fleet.clusters.map(({ store }) => store);
  const pulse = setInterval(() => live(stores, Math.random), heartbeat);
  stage.signal.addEventListener("abort", () => clearInterval(pulse), { once: true });
  for (const [index, scene] of scenes.entries()) {
    const left = scenes.slice(index);
    const most = (0.9 * (until - performance.now()) * scene.weight) / weightOf(left);
    try {
      await pause(stage, most * 0.05);
      await scene.play(stage, most * 0.95);
    } catch (error) {
      const titles = left.map(({ title }) => title).join(", ");
      if (error instanceof StoryEnded) tell(`the end came before the story's: ${titles} not told to the end`);
      throw error;
    }
  }
  tell("that was the story; gentle life goes on");
  for (;;) await pause(stage, 60_000);
}

const weightOf = (some: readonly Scene[]): number => some.reduce((sum, { weight }) => sum + weight, 0);

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
