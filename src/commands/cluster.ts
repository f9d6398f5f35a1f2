import { shown } from "../config/problems.ts";
import { isDnsLabel } from "../declare/dns-label.ts";
import { usage } from "./arguments.ts";
import type { Command } from "./command.ts";
import { counted } from "./counted.ts";
import { decide, serverOption } from "./decide.ts";

/** Decisions about a cluster that stays. */
export const cluster: Command = {
  name: "cluster",
  summary: "accept a rebuilt cluster under the name of the one before it",
  usage:
    "accept NAME [--server URL] [--config FILE] [FLAGS]\n\nThe instance that leads does it. Where none runs, the configuration says where the Lease is, and it is done here.",
  options: { server: serverOption },
  takesConfig: true,
  listsConfig: false,

  async run(args, io) {
    const [verb, name, ...more] = args.positionals;
    if (verb !== "accept")
      throw usage(
        `${verb === undefined ? "a verb is missing" : `unknown verb ${shown(verb)}`}; allowed: accept`,
      );
    if (name === undefined) throw usage("NAME is missing");
    if (more[0] !== undefined) throw usage(`unexpected argument ${shown(more[0])}: one NAME at a time`);
    if (!isDnsLabel(name)) throw usage(`NAME got ${shown(name)}; allowed: the name of a cluster`);
    const told = await decide(
      cluster,
      { path: "/accept", cluster: name, here: ({ decisions }) => decisions.accept(name) },
      args,
      io,
    );
    if (told === undefined) return 1;
    const { uid, was, relabelled } = told;
    if (Number(relabelled) === 0 && (was === uid || was === null)) {
      io.stdout.write(
        `nothing to accept: ${name} is the cluster ${String(uid)}, and no upstream says otherwise\n`,
      );
      return 0;
    }
    const before = typeof was === "string" ? `, and was ${was}` : "";
    io.stdout.write(
      `${name} is the cluster ${String(uid)}${before}: ${counted(Number(relabelled), "upstream")} relabelled\n`,
    );
    return 0;
  },
};
