import { refusePositionals, usage } from "./arguments.ts";
import { commandConfig } from "./command-config.ts";
import type { Command } from "./command.ts";

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
    commandConfig(run, args, io, { leads: true });
    throw new Error("the controller is not wired yet");
  },
};
