import { join } from "node:path";
import { request } from "undici";
import { freePort } from "./free-port.ts";
import { ProcessGuard } from "./process-guard.ts";
import { ServerProcess, startOrClose } from "./server-process.ts";

export interface Etcd {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string;
  readonly dataDir: string;
  readonly process: ServerProcess;
}

async function isHealthy(endpoint: string, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await request(`${endpoint}/readyz`, { signal });
    await answer.body.dump();
    return answer.statusCode === 200;
  } catch {
    return false;
  }
}

/** Starts an etcd of one member on a folder of its own, without TLS. It serves any number of API servers. */
export async function startEtcd(): Promise<Etcd> {
  const guard = await ProcessGuard.open("etcd");
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const dataDir = join(guard.folder, "data");
  const process = new ServerProcess({
    name: "etcd",
    binary: "etcd",
    args: [
      "--name=real",
      `--data-dir=${dataDir}`,
      `--listen-client-urls=${endpoint}`,
      `--advertise-client-urls=${endpoint}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=real=${peer}`,
      // The data outlive a killed process all the same (page cache), not a machine that crashes.
      "--unsafe-no-fsync",
    ],
    guard,
    isReady: (signal) => isHealthy(endpoint, signal),
  });
  await startOrClose(process);
  return { endpoint, dataDir, process };
}
