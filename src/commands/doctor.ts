import { examine } from "../doctor/examine.ts";
import { systemClock } from "../runtime.ts";
import { oneOf, refusePositionals } from "./arguments.ts";
import { commandConfig } from "./command-config.ts";
import type { Command } from "./command.ts";
import { doctorText } from "./doctor-text.ts";

/** Reaches everything that `run` would reach, and says what stands in its way. */
export const doctor: Command = {
  name: "doctor",
  summary: "reach each cluster and APISIX: version, credentials, permissions, identity, clock",
  usage:
    "--config FILE [--output text|json] [FLAGS]\n\nExit: 0 all is well; 1 something is wrong; 2 bad usage or configuration",
  configSections: ["instance", "clusters", "clusterSecrets", "gateway", "sources", "leader", "events"],
  options: { output: { value: "text|json", help: "lines, or one JSON document (text)" } },
  takesConfig: true,

  /** Answers 0 where all is well, else 1. */
  async run(args, io) {
    refusePositionals(args);
    const output = oneOf(args, "output", ["text", "json"]);
    const config = commandConfig(doctor, args, io, { leads: true });
    const checks = await examine(config, {
      ...{ clock: systemClock, env: io.env, readFile: io.readFile, signal: io.signal },
      progress: (target) => io.stderr.write(`looking at ${target}\n`),
    });
    io.stdout.write(
      output === "json" ? `${JSON.stringify({ checks }, null, 2)}\n` : doctorText(checks, io.stdout.colour),
    );
    return checks.every(({ ok }) => ok) ? 0 : 1;
  },
};
