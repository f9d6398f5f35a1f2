import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Child } from "../processes/child.ts";
import type { FleetCluster } from "../processes/fleet-process.ts";
import type { ProbeCommands } from "../processes/probe.ts";
import { sharedNow } from "../processes/protocol.ts";

const main = new URL("../../src/main.ts", import.meta.url);
const probe = new URL("../processes/probe.ts", import.meta.url);
const image = new URL("../../deploy/Dockerfile", import.meta.url);

export interface Gateway {
  readonly url: string;
  readonly key: string;
}

export interface Translator {
  readonly process: Child<ProbeCommands>;
  /** When it was forked (shared clock). */
  readonly begunAt: number;
  /** When it said that it has started: by its own log, so that what came before is the loading of the program. */
  readonly startedAt: () => number;
  /** Where `observe.admin` listens: `http://HOST:PORT`. */
  readonly adminUrl: () => string;
  /** When it said that its first reconcile is done. */
  readonly converged: Promise<number>;
  /** Lines that it logged as warnings or errors. */
  readonly complaints: readonly string[];
}

/** What differs from the command as a user starts it. */
export interface Differing {
  /** Modules that are loaded before the program. */
  readonly preload?: readonly URL[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The translator's configuration in a temporary folder. */
export class Setup {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "apisix-translator-bench-"));
  readonly #clusters: readonly Pick<FleetCluster, "name" | "kubeconfig">[];

  constructor(clusters: readonly Pick<FleetCluster, "name" | "kubeconfig">[]) {
    this.#clusters = clusters;
  }

  /**
   * The real command in a process of its own, as a user starts it, with the probe loaded before it: so start-up, log and
   * HTTP endpoints are paid for too, and what is measured is what runs.
   */
  start(
    gateway: Gateway,
    flags: readonly string[] = [],
    { preload = [], env = {} }: Differing = {},
  ): Translator {
    const config = path.join(this.#folder, "config.json");
    writeFileSync(config, this.#config(gateway));
    const converged = Promise.withResolvers<number>();
    const complaints: string[] = [];
    let startedAt = NaN;
    let adminUrl = "";
    const begunAt = sharedNow();
    const execArgv = [probe, ...preload].flatMap(({ href }) => ["--import", href]);
    execArgv.push(...engineFlags(), ...profileFlags());
    const process = new Child<ProbeCommands>(main, {
      args: ["run", "--config", config, ...flags],
      execArgv,
      env: { APISIX_ADMIN_KEY: gateway.key, ...env },
      onLine(line) {
        if (line.includes('"translator started"')) {
          startedAt = timeOf(line);
          const { admin } = JSON.parse(line) as { readonly admin: { host: string; port: number } };
          adminUrl = `http://${admin.host}:${admin.port}`;
        }
        if (line.includes('"first reconcile done"')) converged.resolve(sharedNow());
        else if (!line.includes('"level":"info"')) complaints.push(line);
      },
    });
    process.ended.catch((error: unknown) => {
      converged.reject(new Error(`${String(error)}\n${complaints.slice(0, 20).join("\n")}`));
    });
    converged.promise.catch(() => {});
    const said = { startedAt: () => startedAt, adminUrl: () => adminUrl };
    return { process, begunAt, ...said, converged: converged.promise, complaints };
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** YAML holds JSON. Ports 0: any; nobody asks them. */
  #config({ url }: Gateway): string {
    return JSON.stringify({
      clusters: this.#clusters.map(({ name, kubeconfig }) => ({ name, kubeconfig })),
      gateway: { adminUrls: [url] },
      leader: { enabled: false },
      observe: { listen: "127.0.0.1:0", admin: "127.0.0.1:0" },
    });
  }
}

/** When a line was logged, on the shared clock: the log's own time, to the millisecond. */
export function timeOf(line: string): number {
  const { time } = JSON.parse(line) as { readonly time: string };
  return sharedNow() - (Date.now() - Date.parse(time));
}

/** What the image tells Node. */
function engineFlags(): string[] {
  const [, entrypoint = "[]"] = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(image, "utf8")) ?? [];
  const words = JSON.parse(entrypoint) as readonly string[];
  return words.filter((word) => word.startsWith("--"));
}

/** `BENCH_PROFILE=DIR`: a CPU profile of each translator's threads goes there; the figures are those of a profiled process. */
function profileFlags(): string[] {
  const folder = process.env["BENCH_PROFILE"];
  return folder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${folder}`];
}
