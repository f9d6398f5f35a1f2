import { loadConfig, type Config } from "../config.ts";
import { WatchedConfig } from "../config/watched-config.ts";
import { Instance } from "../instance.ts";
import { createLog } from "../observe/log.ts";
import { createMetrics } from "../observe/metrics.ts";
import { systemClock } from "../runtime.ts";
import { refusePositionals } from "./arguments.ts";
import { configSources } from "./command-config.ts";
import type { Command } from "./command.ts";
import { version } from "./version.ts";

/** The controller, until SIGTERM; with election, while it leads. */
export const run: Command = {
  name: "run",
  summary: "the controller: keeps APISIX equal to what the clusters declare",
  usage:
    "--config FILE [FLAGS]\n\nExit: 0 on SIGTERM, SIGINT or SIGHUP; 1 on a fatal fault, or when leadership is lost; 2 bad usage or configuration",
  options: { shadow: { help: "do everything but write" } },
  takesConfig: true,

  async run(args, io) {
    refusePositionals(args);
    const shadow = args.options.get("shadow") === "true";
    const sources = configSources(run, args, io, { leads: !shadow });
    const given = loadConfig(sources);
    const config = shadow ? shadowConfig(given) : given;
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

    const instance = new Instance(config, {
      ...{ env: io.env, log, metrics, fault, shadow },
      lost: () => ended.resolve(1),
    });
    const addresses = await instance.start();
    const clusters = config.clusters.map(({ name }) => name);
    log.info({ version: version(), instance: config.instance, clusters, ...addresses }, "translator started");
    if (shadow) log.info({}, "shadow: what would be written is counted, and nothing is written anywhere");

    const file = new WatchedConfig({
      ...{ sources, config: given, clock: systemClock, log },
      changed: ({ clusters, policy }) => instance.configure({ ...config, clusters, policy }),
    });
    file.start();
    const code = await ended.promise;
    file.stop();
    if (instance.isLost) {
      await instance.abandon();
      return 1;
    }
    log.info({}, "stopping: what is in flight ends");
    await instance.stop();
    log.info({}, "stopped");
    return instance.isLost ? 1 : code;
  },
};

/** A Lease and Events are writes too: a shadow takes leadership from nobody. */
function shadowConfig(config: Config): Config {
  return { ...config, leader: { ...config.leader, enabled: false }, events: { enabled: false } };
}
