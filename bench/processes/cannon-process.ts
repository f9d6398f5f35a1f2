/** autocannon in a process of its own: sends what was recorded of the translator, as fast as it can. */
import autocannon from "autocannon";
import type { Recorded } from "./admin-process.ts";
import { LoopWatch, type CpuSample } from "./loop-watch.ts";
import { serve } from "./serve.ts";

export interface Shot {
  readonly sent: number;
  readonly failed: number;
  readonly cpu: readonly CpuSample[];
}

export type CannonCommands = {
  /** Each connection gets its own share, in the recorded order: an upstream before the route that names it. */
  readonly fire: (
    gateway: { readonly url: string; readonly key: string },
    recorded: readonly Recorded[],
    connections: number,
  ) => Promise<Shot>;
};

const commands: CannonCommands = {
  async fire({ url, key }, recorded, connections) {
    const shares = sharesOf(recorded, connections);
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const watch = new LoopWatch();
    watch.start();
    const result = await autocannon({
      ...{ url, connections, timeout: 30 },
      amount: shares.reduce((sum, share) => sum + share.length, 0),
      setupClient(client) {
        const share = shares.pop() ?? [];
        client.setRequests(share.map(({ path, body }) => ({ method: "PUT" as const, path, headers, body })));
      },
    });
    watch.sample();
    watch.stop();
    return { sent: result["2xx"], failed: result.non2xx + result.errors, cpu: watch.cpu };
  },
};

/** Equal shares, whole ids: autocannon counts the requests of a connection, so a remainder is left out. */
function sharesOf(recorded: readonly Recorded[], connections: number): Recorded[][] {
  const byId = Map.groupBy(recorded, ({ path }) => path.slice(path.lastIndexOf("/")));
  const ids = [...byId.values()].filter((requests) => requests.length === 2);
  const each = Math.floor(ids.length / connections);
  return Array.from({ length: connections }, (_, index) =>
    ids.slice(index * each, (index + 1) * each).flat(),
  );
}

serve(commands);
