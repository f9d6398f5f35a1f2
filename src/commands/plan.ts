import { oneOf, refusePositionals } from "./arguments.ts";
import { commandConfig } from "./command-config.ts";
import type { Command } from "./command.ts";

/** One full reconcile that writes nothing. */
export const plan: Command = {
  name: "plan",
  summary: "one full reconcile that writes nothing: prints what run would do",
  usage: "--config FILE [--output text|json] [FLAGS]",
  options: { output: { value: "text|json", help: "lines, or one JSON document (text)" } },
  takesConfig: true,
  faultCode: 2,

  async run(args, io) {
    refusePositionals(args);
    oneOf(args, "output", ["text", "json"]);
    commandConfig(plan, args, io, { leads: false });
    throw new Error("the controller is not wired yet");
  },
};
