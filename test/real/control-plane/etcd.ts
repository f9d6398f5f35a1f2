import { cp, rm } from "node:fs/promises";
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
  /** Takes a copy of everything, as a backup does. It is down meanwhile. */
  backUp(): Promise<void>;
  /** Starts again with what the last copy holds. Whoever caches what came later must be started anew. */
  restore(): Promise<void>;
  /** Forgets every revision but the present one: a watch that resumes at an older one is refused. */
  compact(): Promise<void>;
  /** Deletes all keys that begin so: the whole of one API server, with a slash at its end. */
  deleteAll(prefix: string): Promise<void>;
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

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** A request of its key-value API. @throws Error at any status but 200. */
async function ask(
  endpoint: string,
  what: string,
  body: object,
): Promise<{ readonly header: { readonly revision: string } }> {
  const answer = await request(`${endpoint}/v3/kv/${what}`, { method: "POST", body: JSON.stringify(body) });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`etcd answered ${answer.statusCode} to ${what}: ${text}`);
  return JSON.parse(text) as { header: { revision: string } };
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
  const copy = join(guard.folder, "backup");
  return {
    ...{ endpoint, dataDir, process },
    async backUp() {
      await process.kill();
      await rm(copy, { recursive: true, force: true });
      await cp(dataDir, copy, { recursive: true });
      await process.start();
    },
    async restore() {
      await process.kill();
      await rm(dataDir, { recursive: true });
      await cp(copy, dataDir, { recursive: true });
      await process.start();
    },
    async deleteAll(prefix) {
      // The end of the range is the first key that does not begin so: "0" follows "/".
      const range = { key: base64(prefix), range_end: base64(`${prefix.slice(0, -1)}0`) };
      await ask(endpoint, "deleterange", range);
    },
    async compact() {
      const { header } = await ask(endpoint, "range", { key: base64("/") });
      await ask(endpoint, "compaction", { revision: header.revision, physical: true });
    },
  };
}
