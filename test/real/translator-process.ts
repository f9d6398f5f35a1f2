import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Status } from "../../src/observe/status.ts";
import { freePort } from "./control-plane/free-port.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export interface TranslatorOptions {
  /** With further keys of their configuration. */
  readonly clusters: readonly {
    readonly name: string;
    readonly kubeconfig: string;
    readonly settings?: object;
  }[];
  readonly adminUrl: string;
  readonly adminKey: string;
  /** Further keys of the configuration. */
  readonly settings?: object;
  /** Further keys of its `gateway`. */
  readonly gateway?: object;
  /** Where all that it prints goes, as `/dev/full`; default: into `output`. */
  readonly logFile?: string;
}

/** `run` as a process of its own, as operators start it. */
export class TranslatorProcess {
  readonly folder: string;
  readonly #options: TranslatorOptions;
  readonly #port: number;
  readonly #adminPort: number;
  #child: ChildProcess | undefined;
  #output = "";

  static async start(options: TranslatorOptions): Promise<TranslatorProcess> {
    const translator = await TranslatorProcess.create(options);
    await translator.start();
    return translator;
  }

  /** With its configuration written, and not started. */
  static async create(options: TranslatorOptions): Promise<TranslatorProcess> {
    const folder = await mkdtemp(join(tmpdir(), "apisix-translator-real-"));
    const translator = new TranslatorProcess(options, folder, await freePort(), await freePort());
    await translator.#writeConfig();
    return translator;
  }

  constructor(options: TranslatorOptions, folder: string, port: number, adminPort: number) {
    this.#options = options;
    this.folder = folder;
    this.#port = port;
    this.#adminPort = adminPort;
  }

  /** Everything it has printed. */
  get output(): string {
    return this.#output;
  }

  /** From now on nobody reads its log. */
  stopReading(): void {
    this.#child?.stderr?.destroy();
  }

  /** Starts it and waits until it is ready. */
  async start(): Promise<void> {
    this.launch();
    await this.until("readiness", async () => (await fetch(this.#url("/readyz"))).status === 200);
  }

  /** Starts it and waits for nothing. */
  launch(): void {
    const { adminKey, logFile } = this.#options;
    const log = logFile === undefined ? "pipe" : openSync(logFile, "a");
    const child = spawn(process.execPath, [main, "run", "--config", join(this.folder, "config.json")], {
      env: { PATH: process.env["PATH"], APISIX_ADMIN_KEY: adminKey },
      stdio: ["ignore", log, log],
    });
    if (typeof log === "number") closeSync(log);
    const collect = (bytes: Buffer): void => void (this.#output += bytes.toString());
    child.stdout?.on("data", collect);
    child.stderr?.on("data", collect);
    this.#child = child;
  }

  async status(): Promise<Status> {
    return (await (await fetch(this.#url("/status"))).json()) as Status;
  }

  /** As `guard/approve?batch=ID`, at `observe.admin`. @throws Error at any status but 200. */
  async post(path: string): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${this.#adminPort}/${path}`, { method: "POST" });
    if (answer.status !== 200) throw new Error(`POST /${path} was answered ${answer.status}`);
  }

  /** Puts another kubeconfig in the place of a cluster's, as a rotation does. */
  async replaceKubeconfig(cluster: string, text: string): Promise<void> {
    const path = join(this.folder, `${cluster}.kubeconfig`);
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  /** Ends it as Kubernetes does; resolves to the exit code. */
  async stop(): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null)
      return child?.exitCode ?? null;
    child.kill("SIGTERM");
    const [code] = (await once(child, "exit")) as [number | null];
    return code;
  }

  /** As `kill -NAME`; SIGSTOP freezes it where it stands. */
  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Resolves to the exit code once it has ended by itself; null: by a signal. */
  async exited(): Promise<number | null> {
    const child = this.#child;
    if (child === undefined) throw new Error("it has not been started");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    return child.exitCode;
  }

  /** Where its `observe.listen` is. */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async close(): Promise<void> {
    if (this.#child?.signalCode === null) {
      // One that a test has frozen hears nothing.
      this.signal("SIGCONT");
      await this.stop();
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  async until(what: string, condition: () => boolean | Promise<boolean>, within = 60_000): Promise<void> {
    const deadline = performance.now() + within;
    for (;;) {
      if (await holds(condition)) return;
      if (this.#child !== undefined && (this.#child.exitCode !== null || this.#child.signalCode !== null))
        throw new Error(`it exited while waiting for ${what}:\n${this.#output}`);
      if (performance.now() > deadline) throw new Error(`waited in vain for ${what}:\n${this.#output}`);
      await delay(20);
    }
  }

  #url(path: string): string {
    return `http://${this.address}${path}`;
  }

  async #writeConfig(): Promise<void> {
    const { clusters, adminUrl, settings, gateway } = this.#options;
    const written = await Promise.all(
      clusters.map(async ({ name, kubeconfig, settings: keys }) => {
        const path = join(this.folder, `${name}.kubeconfig`);
        await writeFile(path, kubeconfig, { mode: 0o600 });
        return { name, kubeconfig: path, ...keys };
      }),
    );
    const config = {
      ...{ clusters: written, leader: { enabled: false } },
      observe: { listen: `127.0.0.1:${this.#port}`, admin: `127.0.0.1:${this.#adminPort}` },
      throttle: { routeInterval: "0ms", deleteGrace: "1s" },
      ...settings,
      gateway: { adminUrls: [adminUrl], ...gateway },
    };
    await writeFile(join(this.folder, "config.json"), JSON.stringify(config));
  }
}

/** A condition that throws (nobody listens yet) does not hold. */
async function holds(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return await condition();
  } catch {
    return false;
  }
}
