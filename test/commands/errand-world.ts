import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../../src/commands/cli.ts";
import { startAdminServer, type AdminServer } from "../../src/sim/admin/admin-server.ts";
import { startFleet, type Fleet } from "../../src/sim/kubernetes/fleet.ts";
import { recordedIo } from "./recorded-io.ts";

/** Where no instance answers. */
export const nowhere = "http://127.0.0.1:1";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command to its end. */
export async function run(words: readonly string[], typed?: string): Promise<Ran> {
  const recorded = recordedIo(typed === undefined ? {} : { typed });
  const io = { ...recorded.io, readFile: (path: string) => readFileSync(path, "utf8") };
  return { code: await runCommand(words, "1.2.3", io), out: recorded.out(), err: recorded.err() };
}

/** An instance that leads, until the answer is called. */
export function led(config: string): () => Promise<number> {
  const stopping = new AbortController();
  const { io } = recordedIo({ signal: stopping.signal });
  const nearby = ["--observe.listen", "127.0.0.1:0", "--observe.admin", "127.0.0.1:0"];
  const readFile = (path: string): string => readFileSync(path, "utf8");
  const leading = runCommand(["run", "--config", config, ...nearby], "1.2.3", { ...io, readFile });
  return () => {
    stopping.abort();
    return leading;
  };
}

interface ErrandWorld {
  readonly fleet: Fleet;
  readonly gateway: AdminServer;
  /** The path of a configuration file that names both. */
  readonly config: string;
}

/** `home`, which may hold the Lease, and `east`, with a gateway; `settings`: of the configuration file, beside `leader`. */
export async function errandWorld(
  closers: (() => Promise<unknown>)[],
  leader: object,
  settings: (clusters: readonly object[]) => object = () => ({}),
): Promise<ErrandWorld> {
  const fleet = await startFleet({ clusters: ["home", "east"] });
  closers.push(() => fleet.close());
  fleet.cluster("home").store.create("namespaces", { metadata: { name: "apisix-translator" } });
  const gateway = await startAdminServer();
  closers.push(() => gateway.close());
  await writeFile(join(fleet.folder, "key"), gateway.adminKey);
  const config = join(fleet.folder, "config.json");
  const clusters = fleet.clusters.map(({ name, kubeconfigPath: kubeconfig }) => ({ name, kubeconfig }));
  const file = {
    ...{ clusters, leader, shards: { count: 1 } },
    gateway: { adminUrls: [gateway.url], adminKeyFile: join(fleet.folder, "key") },
    ...settings(clusters),
  };
  await writeFile(config, JSON.stringify(file));
  return { fleet, gateway, config };
}
