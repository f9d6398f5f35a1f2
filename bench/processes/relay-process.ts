/**
 * The floor of the latency: the shortest program that could stand in the translator's place. It watches, finds the Pod's
 * name in each frame without parsing it, and sends a body made beforehand. No filter, no index, no other thread, no claim.
 */
import { Agent, Pool, request } from "undici";
import type { FleetCluster } from "./fleet-process.ts";
import { serve } from "./serve.ts";
import { cpuNow } from "./usage.ts";

export interface RelayOptions {
  readonly clusters: readonly FleetCluster[];
  readonly label: string;
  readonly gateway: { readonly url: string; readonly key: string };
  readonly connections: number;
  /** Length of the bodies, as the translator's are on average. */
  readonly bodyBytes: number;
}

export type RelayCommands = {
  readonly start: (options: RelayOptions) => void;
  /** False: only counts frames. */
  readonly relaying: (on: boolean) => void;
  readonly counted: () => { readonly frames: number; readonly failed: number; readonly cpu: number };
};

let isRelaying = true;
let frames = 0;
let failed = 0;

const commands: RelayCommands = {
  start(options) {
    const send = sender(options);
    for (const cluster of options.clusters) {
      watch(cluster, options.label, send).catch((error: unknown) => {
        process.stderr.write(`the relay's watch of ${cluster.name} ended: ${String(error)}\n`);
        process.exit(1);
      });
    }
  },
  relaying(on) {
    isRelaying = on;
  },
  counted: () => ({ frames, failed, cpu: cpuNow() }),
};

async function watch(cluster: FleetCluster, label: string, send: (id: string) => void): Promise<never> {
  const query = new URLSearchParams({ watch: "1", labelSelector: `${label}=true` });
  const now = await get(cluster, new URLSearchParams({ limit: "1" }));
  const { metadata } = (await now.json()) as { metadata: { resourceVersion: string } };
  query.set("resourceVersion", metadata.resourceVersion);
  let rest = "";
  for await (const chunk of await get(cluster, query)) {
    const text = rest + (chunk as Buffer).toString("utf8");
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      frames += 1;
      if (isRelaying) send(idOf(cluster.name, text, from));
      from = end + 1;
    }
    rest = text.slice(from);
  }
  throw new Error("the server ended it");
}

async function get({ url, ca, token }: FleetCluster, query: URLSearchParams): ReturnType<typeof bodyOf> {
  const dispatcher = new Agent({ connect: { ca }, bodyTimeout: 0 });
  return bodyOf(`${url}/api/v1/pods?${query}`, { dispatcher, headers: { authorization: `Bearer ${token}` } });
}

async function bodyOf(url: string, options: Parameters<typeof request>[1]) {
  const { statusCode, body } = await request(url, options);
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
  return body;
}

const nameField = '"name":"';

function idOf(cluster: string, text: string, from: number): string {
  const begin = text.indexOf(nameField, from) + nameField.length;
  return `${cluster}-${text.slice(begin, text.indexOf('"', begin))}`;
}

function sender({ gateway: { url, key }, connections, bodyBytes }: RelayOptions): (id: string) => void {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const bare = JSON.stringify({ type: "roundrobin", nodes: [], desc: "" });
  const body = bare.replace('""', `"${"x".repeat(Math.max(0, Math.min(256, bodyBytes - bare.length)))}"`);
  const padded = body.padEnd(bodyBytes);
  const headers = { "x-api-key": key, "content-type": "application/json" };
  return (id) => {
    pool
      .request({ method: "PUT", path: `/apisix/admin/upstreams/${id}`, headers, body: padded })
      .then(async ({ statusCode, body: answer }) => {
        await answer.dump();
        if (statusCode >= 300) failed += 1;
      })
      .catch(() => {
        failed += 1;
      });
  };
}

serve(commands);
