import { shadowTransport, type ShadowWrite } from "../apisix/shadow-transport.ts";
import type { Config } from "../config.ts";
import { Controller } from "../controller.ts";
import { createLog } from "../observe/log.ts";
import { createMetrics } from "../observe/metrics.ts";
import { printable } from "../observe/printable.ts";
import { openOutside } from "../outside.ts";
import { oneOf, refusePositionals } from "./arguments.ts";
import { commandConfig } from "./command-config.ts";
import type { Command, Io } from "./command.ts";
import { isEmptyPlan, planJson, planReport } from "./plan-report.ts";
import type { PlannedWrite, PlanReport } from "./plan-report.ts";
import { planText } from "./plan-text.ts";

/** Milliseconds between two looks whether all is at rest. */
const restEvery = 5;

/** One full reconcile that writes nothing: the controller itself, on an Admin API that only pretends to write. */
export const plan: Command = {
  name: "plan",
  summary: "one full reconcile that writes nothing: prints what run would do",
  usage:
    "--config FILE [--output text|json] [FLAGS]\n\nExit: 0 nothing to write (conflicts, frozen and invalid ones are printed all the same); 1 changes; 2 bad usage, a bad configuration, or an error",

  options: { output: { value: "text|json", help: "lines, or one JSON document (text)" } },
  takesConfig: true,
  faultCode: 2,

  async run(args, io) {
    refusePositionals(args);
    const output = oneOf(args, "output", ["text", "json"]);
    const config = commandConfig(plan, args, io, { leads: false });
    const { report, unseen, mayLack } = await planWith(atOnce(config), io);
    for (const { cluster, why } of unseen)
      io.stderr.write(`${cluster} could not be seen: ${why}; no change of it is in this plan\n`);
    if (mayLack !== undefined)
      io.stderr.write(`there may be clusters that are not in this plan: ${printable(mayLack)}\n`);
    io.stdout.write(output === "json" ? planJson(report) : planText(report));
    return isEmptyPlan(report) ? 0 : 1;
  },
};

/** The first reconcile is over, no shard has anything left to say, and nothing more comes of what they have said. */
async function atRest(controller: Controller): Promise<void> {
  const { firstReconcile, shards, writer, parts } = controller;
  await firstReconcile.done;
  for (;;) {
    // A shard answers in the order in which it was told and asked.
    await shards.explain({ by: "ids", ids: [] });
    if (writer.isQuiet && !writer.claims.pending) return;
    await new Promise<void>((resolve) => parts.clock.after(restEvery, resolve));
  }
}

/** Nothing is gathered or waited for: only what would be written in the end counts. An Event would be a write too. */
function atOnce(config: Config): Config {
  const throttle = { ...config.throttle, quiet: 0, maxDelay: 0, rate: 0, routeInterval: 0, deleteGrace: 0 };
  return { ...config, throttle, events: { enabled: false } };
}

interface Planned {
  readonly report: PlanReport;
  /** Clusters of which nothing is known, and why. */
  readonly unseen: readonly { readonly cluster: string; readonly why: string }[];
  /** Why there may be clusters that are not known at all. */
  readonly mayLack: string | undefined;
}

async function planWith(config: Config, io: Io): Promise<Planned> {
  const { maxListBytes } = config.gateway;
  const log = createLog({ level: "error", format: "text", stream: io.stderr });
  const writes: PlannedWrite[] = [];
  // Asked as it is written: a group that is deleted is forgotten.
  const wrote = (write: ShadowWrite): void => {
    const stand = controller.writer.records.get(write.id)?.change?.stand;
    writes.push({ ...write, stand });
  };
  const failed = Promise.withResolvers<never>();
  const outside = openOutside(config, {
    ...{ env: io.env, log, metrics: createMetrics({ withProcess: false }), fault: failed.reject },
    around: (admin) => shadowTransport(admin, { maxListBytes, wrote }),
  });
  const controller = new Controller(config, outside);
  io.signal.addEventListener("abort", () => failed.reject(new Error("called off")), { once: true });
  try {
    const snapshot = await Promise.race([controller.start("once"), failed.promise]);
    await Promise.race([atRest(controller), failed.promise]);
    if (snapshot === undefined) throw new Error("APISIX was not read");
    const { observation } = controller;
    const unseen = controller.config.clusters.flatMap(({ name: cluster }) => {
      const why = observation.whyUnseen(cluster);
      return why === undefined ? [] : [{ cluster, why: printable(why) }];
    });
    const report = planReport({
      ...{ instance: config.instance, writes, snapshot, records: controller.writer.records },
      ...{
        facts: observation.facts,
        whyUnseen: (cluster, kind) => observation.whyUnseen(cluster, kind),
        problems: await controller.shards.explain({ by: "problems" }),
      },
    });
    return { report, unseen, mayLack: controller.clusters.whyUnknown() };
  } finally {
    await controller.stop();
    await outside.close();
  }
}
