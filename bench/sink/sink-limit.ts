import type { Row } from "../bench.ts";
import { Child } from "../processes/child.ts";
import type { HoseCommands } from "../processes/hose-process.ts";
import type { SinkCommands } from "../processes/sink-process.ts";

/** How many PUTs a second the sink takes from a sender that only writes bytes and counts answers. */
export async function sinkLimit(say: (line: string) => void): Promise<Row[]> {
  const sink = new Child<SinkCommands>(new URL("../processes/sink-process.ts", import.meta.url));
  const hose = new Child<HoseCommands>(new URL("../processes/hose-process.ts", import.meta.url));
  const { url } = await sink.ask("fresh");
  await hose.ask("pour", url, 20_000);
  const before = await sink.ask("used");
  const { requests, ms } = await hose.ask("pour", url, 100_000);
  const cpu = (await sink.ask("used")).cpu - before.cpu;
  await Promise.all([sink.stop(), hose.stop()]);
  say(
    `the sink alone: ${Math.round(requests / (ms / 1000))} PUTs/s, ${Math.round((cpu * 1000) / requests)} µs each`,
  );
  return [
    { name: "sink: PUTs, as fast as it can", unit: "/s", values: [requests / (ms / 1000)] },
    { name: "sink: its CPU per PUT", unit: "µs", values: [(cpu * 1000) / requests] },
  ];
}
