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
  /** GETs at a set rate through 8 connections: milliseconds of each answer, and answers other than 200. */
  readonly probe: (
    url: string,
    host: string,
    perSecond: number,
    seconds: number,
  ) => Promise<{ readonly times: Float64Array; readonly failed: number }>;
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

  async probe(url, host, perSecond, seconds) {
    const times: number[] = [];
    const running = autocannon({
      ...{ url, connections: 8, overallRate: perSecond, duration: seconds, headers: { host } },
      setupClient(client) {
        client.on("response", (_status, _bytes, took) => times.push(took));
      },
    });
    const { non2xx, errors } = await running;
    return { times: Float64Array.from(times), failed: non2xx + errors };
  },
};

/** Equal shares, whole ids: autocannon counts the requests of a connection, so a remainder is left out. */
function sharesOf(recorded: readonly Recorded[], connections: number): Recorded[][] {
  const byId = Map.groupBy(recorded, ({ path }) => path.slice(path.lastIndexOf("/")));
  const [first = []] = byId.values();
  const ids = [...byId.values()].filter((requests) => requests.length === first.length);
  const each = Math.floor(ids.length / connections);
  return Array.from({ length: connections }, (_, index) =>
    ids.slice(index * each, (index + 1) * each).flat(),
  );
}

serve(commands);
