/** The writer alone, in a process of its own: shards that always have another body for it, and nothing else around it. */
import { AdminClient } from "../../src/apisix/admin-client.ts";
import { createHttpTransport } from "../../src/apisix/http-transport.ts";
import { silentLog, systemClock } from "../../src/runtime.ts";
import { Writer } from "../../src/write/writer.ts";
import type { Recorded } from "./admin-process.ts";
import { LoopWatch, type CpuSample } from "./loop-watch.ts";
import { serve } from "./serve.ts";
import { EndlessShards } from "../writer/endless-shards.ts";

export type WriterCommands = {
  /** Creates the groups that the recorded upstreams are of, then writes each of them anew, so many times. */
  readonly prepare: (
    gateway: { readonly url: string; readonly key: string },
    upstreams: readonly Recorded[],
    concurrency: number,
  ) => Promise<void>;
  readonly write: (times: number) => Promise<{ readonly cpu: readonly CpuSample[] }>;
};

let shards: EndlessShards | undefined;

const commands: WriterCommands = {
  async prepare({ url, key }, upstreams, concurrency) {
    const clock = systemClock;
    const transport = createHttpTransport({
      ...{ adminUrl: url, adminKey: () => key, clock, connectTimeout: 5000 },
      connections: concurrency + 4,
    });
    shards = new EndlessShards(upstreams);
    const writer = new Writer(
      {
        instance: "default",
        throttle: {
          ...{ quiet: 0, maxDelay: 500, concurrency, rate: 0, routeInterval: 0, deleteGrace: 30_000 },
        },
        policy: { maxRoutesPerNamespace: 0 },
        guard: { maxDeletes: 100, maxDeleteRatio: 0.3 },
      },
      {
        ...{ clock, random: Math.random, shards },
        admin: new AdminClient({ transport: transport.send, timeout: 5000 }),
        log: { ...silentLog, warn: complain, error: complain },
        observer: { wrote: () => {}, repaired: () => {} },
        ...{ isVisible: () => true, mayGo: () => true, routes: () => 0, isForeignKnown: () => true },
        probe: () => Promise.resolve(true),
        refreshForeign: () => Promise.resolve(true),
        ...{
          recovered: () => {},
          touched: () => {},
          strayed: () => {},
          burstOver: () => {},
          routeTaken: () => {},
        },
        fault: complain,
      },
    );
    writer.start();
    writer.openBursts();
    await shards.announce(writer);
  },

  async write(times) {
    if (shards === undefined) throw new Error("nothing was prepared");
    const watch = new LoopWatch();
    watch.start();
    watch.sample();
    await shards.churn(times);
    watch.sample();
    watch.stop();
    return { cpu: watch.cpu };
  },
};

function complain(...what: readonly unknown[]): void {
  process.stderr.write(
    `the writer: ${what.map((each) => (each instanceof Error ? each.stack : JSON.stringify(each))).join(" ")}\n`,
  );
}

serve(commands);
