import { mkdtempSync, rmSync, writeFileSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Child } from "../../bench/processes/child.ts";
import type { Status } from "../../src/observe/status.ts";
import { freePort } from "../real/control-plane/free-port.ts";
import { leastOf, type Holding } from "./holding.ts";
import type { ProbeCommands } from "./probe.ts";

const main = new URL("../../src/main.ts", import.meta.url);
const probe = new URL("./probe.ts", import.meta.url);
const shards = 1;
/** Looks of one rest, and milliseconds between two: garbage and closing sockets take a moment. */
const looks = 5;
const lookEvery = 2000;
const maxComplaints = 40;

interface SoakedOptions {
  readonly clusters: readonly { readonly name: string; readonly kubeconfig: string }[];
  readonly gateway: { readonly url: string; readonly key: string };
}

/** The translator under soak: the real command in a process of its own, with the probe loaded before it. */
export class Soaked {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "apisix-translator-soak-"));
  readonly #child: Child<ProbeCommands>;
  readonly #url: string;
  readonly #adminUrl: string;
  readonly #clusters: SoakedOptions["clusters"];
  readonly #config: (clusters: readonly string[]) => object;
  /** The last warnings and errors that it logged. */
  readonly complaints: string[] = [];

  /** Resolves once it has reconciled for the first time. */
  static async start(options: SoakedOptions): Promise<Soaked> {
    const soaked = new Soaked(options, await freePort(), await freePort());
    const isReady = (): Promise<boolean> =>
      fetch(`${soaked.#url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    while (!(await Promise.race([isReady(), soaked.ended]))) await sleep(lookEvery / 10);
    return soaked;
  }

  constructor({ clusters, gateway }: SoakedOptions, port: number, adminPort: number) {
    this.#clusters = clusters;
    this.#url = `http://127.0.0.1:${port}`;
    this.#adminUrl = `http://127.0.0.1:${adminPort}`;
    this.#config = (names) => ({
      clusters: names.map((name) => ({ name, kubeconfig: this.#kubeconfigPath(name) })),
      // Few sockets, all of them in use: so their number says something. Late answers are part of the soak.
      gateway: { adminUrls: [gateway.url], timeout: "2s" },
      throttle: { concurrency: 4, routeInterval: "0ms", deleteGrace: "1s" },
      guard: { maxDeletes: 1_000_000, maxDeleteRatio: 1 },
      leader: { enabled: false },
      shards: { count: shards },
      observe: { listen: `127.0.0.1:${port}`, admin: `127.0.0.1:${adminPort}` },
    });
    for (const { name, kubeconfig } of clusters) this.replaceKubeconfig(name, kubeconfig);
    this.configure(clusters.map(({ name }) => name));
    this.#child = new Child<ProbeCommands>(main, {
      args: ["run", "--config", this.#configPath],
      execArgv: ["--expose-gc", "--import", probe.href],
      env: { APISIX_ADMIN_KEY: gateway.key },
      onLine: (line) => {
        if (line.includes('"level":"info"')) return;
        this.complaints.push(line);
        if (this.complaints.length > maxComplaints) this.complaints.shift();
      },
    });
  }

  /** Rejects when it ends, which it must not. */
  get ended(): Promise<never> {
    return this.#child.ended;
  }

  get clusters(): readonly string[] {
    return this.#clusters.map(({ name }) => name);
  }

  /** The least of several looks in a row. */
  async holding(): Promise<Holding> {
    const seen: Holding[] = [];
    for (let look = 0; look < looks; look++) {
      if (look > 0) await sleep(lookEvery);
      seen.push(await this.#child.ask("read", shards));
    }
    return leastOf(seen);
  }

  async status(): Promise<Status> {
    return (await (await fetch(`${this.#url}/status`)).json()) as Status;
  }

  /** As a scrape and an operator do. */
  async read(pathname: string): Promise<void> {
    await (await fetch(`${this.#url}${pathname}`)).text();
  }

  async audit(): Promise<void> {
    await (await fetch(`${this.#adminUrl}/audit`, { method: "POST" })).text();
  }

  replaceKubeconfig(name: string, text: string): void {
    replace(this.#kubeconfigPath(name), text);
  }

  /** These clusters stand in its configuration from now on. */
  configure(names: readonly string[]): void {
    replace(this.#configPath, JSON.stringify(this.#config(names)));
  }

  async freezeFor(ms: number): Promise<void> {
    process.kill(this.#child.pid, "SIGSTOP");
    await sleep(ms);
    process.kill(this.#child.pid, "SIGCONT");
  }

  async close(): Promise<void> {
    await this.#child.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #configPath(): string {
    return path.join(this.#folder, "config.json");
  }

  #kubeconfigPath(name: string): string {
    return path.join(this.#folder, `${name}.kubeconfig`);
  }
}

/** As a mounted Secret is replaced: never half. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
