import { duration } from "../config/rules.ts";
import { refused } from "../config/shape.ts";
import { playDemo } from "../demo/play.ts";
import { refusePositionals, usage } from "./arguments.ts";
import type { Arguments, Command } from "./command.ts";

/** The controller on an embedded fleet and an embedded Admin API. */
export const demo: Command = {
  name: "demo",
  summary: "the controller on an embedded fleet: simulated clusters and a simulated APISIX",
  usage: "[--for 20s]",
  options: { for: { value: "DURATION", help: "ends by itself after this time" } },
  takesConfig: false,

  async run(args, io) {
    refusePositionals(args);
    await playDemo(io, lengthOf(args));
    return 0;
  },
};

function lengthOf(args: Arguments): number | undefined {
  const text = args.options.get("for");
  if (text === undefined) return undefined;
  const rule = duration(5000);
  const length = rule.parse(text, true);
  if (length === refused) throw usage(`--for got ${JSON.stringify(text)}; allowed: ${rule.allowed}`);
  return length;
}
