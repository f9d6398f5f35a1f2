import type { Row } from "../bench.ts";
import { Child } from "../processes/child.ts";
import type { DrainCommands } from "../processes/drain-process.ts";
import type { LoadCommands } from "../processes/load-process.ts";
import type { LoadSize } from "./load-cluster.ts";

const seconds = 2;

/** How many frames a second the load could send to readers that do nothing with them. */
export async function generatorLimit(size: LoadSize, say: (line: string) => void): Promise<Row[]> {
  const load = new Child<LoadCommands>(new URL("../processes/load-process.ts", import.meta.url));
  const drain = new Child<DrainCommands>(new URL("../processes/drain-process.ts", import.meta.url));
  await drain.ask("watch", await load.ask("start", size));
  await load.ask("watched");
  await load.ask("flood", 0.5);
  const { events, seconds: passed, cpu } = await load.ask("flood", seconds);
  await load.ask("close");
  await Promise.all([load.stop(), drain.stop()]);
  say(
    `the load alone: ${Math.round(events / passed)} frames/s, ${Math.round((cpu * 1000) / events)} µs each`,
  );
  return [
    { name: "load: frames, as fast as it can", unit: "/s", values: [events / passed] },
    { name: "load: its CPU per frame", unit: "µs", values: [(cpu * 1000) / events] },
  ];
}
