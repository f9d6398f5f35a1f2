import { refusePositionals } from "./arguments.ts";
import type { Command } from "./command.ts";

/** The controller on an embedded fleet and an embedded Admin API. */
export const demo: Command = {
  name: "demo",
  summary: "the controller on an embedded fleet: simulated clusters and a simulated APISIX",
  usage: "[--for 20s]",
  options: { for: { value: "DURATION", help: "ends by itself after this time" } },
  takesConfig: false,

  async run(args) {
    refusePositionals(args);
    throw new Error("the demo is not wired yet");
  },
};
