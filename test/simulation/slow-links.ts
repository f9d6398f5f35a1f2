import type { Clock } from "../../src/runtime.ts";
import type { ShardLinks } from "../../src/shard/link.ts";

/** Shards that are there so many milliseconds after they were started, as threads are. */
export function slowLinks(links: ShardLinks, clock: Clock, delay: () => number): ShardLinks {
  return {
    start: async (start, on) => {
      const ms = delay();
      if (ms > 0) await new Promise<void>((resolve) => clock.after(ms, resolve));
      return links.start(start, on);
    },
    close: () => links.close(),
  };
}
