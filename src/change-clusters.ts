import type { Clusters } from "./clusters.ts";
import type { ClustersChange } from "./watched.ts";
import type { Config } from "./config.ts";
import type { Intake } from "./intake.ts";
import type { NodeWatching } from "./node-watching.ts";
import { logClusters } from "./observe/left-clusters.ts";
import type { ProblemReports } from "./problem-reports.ts";
import type { Log } from "./runtime.ts";
import { shardOptionsOf } from "./shard-seeds.ts";
import type { Shards } from "./shard/shards.ts";
import type { Writer } from "./write/writer.ts";

export interface ChangeParts {
  readonly log: Log;
  readonly intake: Intake;
  readonly shards: Shards;
  readonly writer: Writer;
  readonly nodes: NodeWatching;
  readonly problems: ProblemReports;
  readonly lookUp: Clusters["lookUp"];
  readonly fault: (error: unknown) => void;
}

/**
 * The clusters that are watched are others than `before`, or listed anew; `config` names them as they are now. Of those
 * that left everything stays as it stands.
 */
export function changeClusters(
  { watched, left, relisted }: ClustersChange,
  before: Config["clusters"],
  config: Config,
  { log, intake, shards, writer, nodes, problems, lookUp, fault }: ChangeParts,
): void {
  const known = new Set(before.map(({ name }) => name));
  const came = watched.map(({ name }) => name).filter((name) => !known.has(name));
  logClusters(log, writer.records, left, came, lookUp);
  for (const cluster of relisted) intake.hide(cluster);
  shards.configure(shardOptionsOf(config));
  writer.regate(writer.records.all());
  for (const cluster of left) {
    intake.leave(cluster);
    nodes.leave(cluster);
    void problems.forget(cluster).catch(fault);
  }
}
