import { shown } from "../config/problems.ts";
import { isDnsLabel } from "../declare/dns-label.ts";
import { refusePositionals, usage } from "./arguments.ts";
import type { Command } from "./command.ts";
import { counted } from "./counted.ts";
import { decide, serverOption } from "./decide.ts";

/** Deletes what stands for a cluster that is gone for good. */
export const purge: Command = {
  name: "purge",
  summary: "delete what this instance owns for a cluster that is gone for good",
  usage:
    "--cluster NAME [--yes] [--server URL] [--config FILE] [FLAGS]\n\nThe instance that leads does it. Where none runs, the configuration says where the Lease is, and it is done here.",
  options: {
    cluster: { value: "NAME", help: "the cluster; not in the configuration any more, or out of reach" },
    yes: { help: "do not ask first" },
    server: serverOption,
  },
  takesConfig: true,
  listsConfig: false,

  async run(args, io) {
    refusePositionals(args);
    const name = args.options.get("cluster");
    if (name === undefined) throw usage("--cluster is missing");
    if (!isDnsLabel(name)) throw usage(`--cluster got ${shown(name)}; allowed: the name of a cluster`);
    if (args.options.get("yes") !== "true") {
      if (io.ask === undefined) throw usage("there is no terminal to ask at; allowed: --yes");
      const question = `Delete every route of cluster ${name}, without the guard? [y/N] `;
      if (!/^y(es)?$/i.test((await io.ask(question)).trim())) {
        io.stderr.write("nothing was purged\n");
        return 1;
      }
    }
    const told = await decide(
      purge,
      { path: "/purge", cluster: name, here: ({ decisions }) => decisions.purge(name, undefined, true) },
      args,
      io,
    );
    if (told === undefined) return 1;
    io.stdout.write(`${name}: ${purgedText(told)}\n`);
    const left = Number(told["left"] ?? 0);
    if (left > 0) io.stderr.write(`${left} ${left === 1 ? "is" : "are"} still to go; ${whatNext(told)}\n`);
    if (told["configured"] === true)
      io.stderr.write(`${name} returns with its routes unless it is taken out of the configuration\n`);
    return left > 0 ? 1 : 0;
  },
};

type Told = Readonly<Record<string, unknown>>;

function whatNext({ paused, ended }: Told): string {
  if (ended === true)
    return "nothing has gone for a minute, and no instance runs that goes on: see that APISIX answers and that no route of others uses these upstreams, and purge again";
  return paused === true
    ? "the instance has been paused meanwhile: it goes on after POST /resume to its observe.admin"
    : "the leader goes on, as soon as APISIX lets it";
}

/** What has gone: whole groups, and parts of groups that other clusters share. */
function purgedText(told: Told): string {
  const [groups, parts, left] = ["groups", "parts", "left"].map((key) => Number(told[key] ?? 0));
  if (left !== 0) return `${(groups ?? 0) - (left ?? 0)} of ${counted(groups ?? 0, "group")} done`;
  const whole = counted((groups ?? 0) - (parts ?? 0), "group");
  const part = parts === 0 ? "" : `, and its part of ${counted(parts ?? 0, "shared group")} removed`;
  return `${whole} deleted${part}`;
}
