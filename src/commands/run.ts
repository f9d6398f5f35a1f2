import { Controller } from "../controller.ts";
import { HttpServer } from "../observe/http-server.ts";
import { createLog } from "../observe/log.ts";
import { createMetrics } from "../observe/metrics.ts";
import { openOutside } from "../outside.ts";
import { systemClock } from "../runtime.ts";
import { refusePositionals, usage } from "./arguments.ts";
import { commandConfig } from "./command-config.ts";
import type { Command } from "./command.ts";
import { version } from "./version.ts";

/** The controller, until SIGTERM. */
export const run: Command = {
  name: "run",
  summary: "the controller: keeps APISIX equal to what the clusters declare",
  usage: "--config FILE [FLAGS]",
  options: { shadow: { help: "do everything but write" } },
  takesConfig: true,

  async run(args, io) {
    refusePositionals(args);
    if (args.options.get("shadow") === "true") throw usage("--shadow comes with a later version");
    const config = commandConfig(run, args, io, { leads: true });
    const { logLevel: level, logFormat: format } = config.observe;
    const log = createLog({ level, format, stream: io.stderr });
    const metrics = createMetrics({ version: version() });
    const ended = Promise.withResolvers<number>();
    io.signal.addEventListener("abort", () => ended.resolve(0), { once: true });
    const fault = (error: unknown): void => {
      const advice = "this is a bug: report it with the lines before this one; the next start begins anew";
      log.error({ error, advice }, "the translator cannot go on");
      ended.resolve(1);
    };

    const outside = openOutside(config, { env: io.env, log, metrics, fault });
    const controller = new Controller(config, outside);
    const { observation } = controller;
    const http = new HttpServer({ observed: observation, ...config.observe, log, clock: systemClock });
    const addresses = await http.start();
    const clusters = config.clusters.map(({ name }) => name);
    log.info({ version: version(), instance: config.instance, clusters, ...addresses }, "translator started");
    controller.start().catch(fault);
    void controller.firstReconcile.done.then(() => log.info({}, "first reconcile done"));

    const code = await ended.promise;
    observation.stopping();
    log.info({}, "stopping: what is in flight ends");
    await controller.stop();
    await Promise.all([outside.close(), http.stop()]);
    log.info({}, "stopped");
    return code;
  },
};
