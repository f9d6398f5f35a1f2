import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { timeOf } from "../first/translator.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What operators run: the compiled program. */
export function buildDist(): void {
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
    cwd: root,
  });
}

/** A `run` of dist/ in a process of its own, with nothing beside it; told apart by what it logs. */
export class Instance {
  readonly #child: ChildProcess;
  readonly #times = new Map<string, PromiseWithResolvers<number>>();
  readonly complaints: string[] = [];
  #port = 0;

  constructor(args: readonly string[], adminKey: string) {
    this.#child = spawn(process.execPath, ["dist/src/main.js", "run", ...args], {
      ...{ cwd: root, stdio: ["ignore", "ignore", "pipe"] },
      env: { PATH: process.env["PATH"], APISIX_ADMIN_KEY: adminKey },
    });
    let rest = "";
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(line);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** When it logged this for the first time, on the shared clock; rejects where it ends before. */
  said(message: string): Promise<number> {
    const when = this.#when(message);
    this.#child.once("exit", () => when.reject(new Error(`ended: ${this.complaints.join("\n")}`)));
    return when.promise;
  }

  /** What it tells of itself. */
  async status(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.#port}/status`)).text();
  }

  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }

  #when(message: string): PromiseWithResolvers<number> {
    let when = this.#times.get(message);
    if (when === undefined) {
      when = Promise.withResolvers<number>();
      when.promise.catch(() => {});
      this.#times.set(message, when);
    }
    return when;
  }

  #take(line: string): void {
    const { msg, listen } = JSON.parse(line) as {
      readonly msg: string;
      readonly listen?: { readonly port: number };
    };
    this.#port = listen?.port ?? this.#port;
    this.#when(msg).resolve(timeOf(line));
    if (!line.includes('"level":"info"')) this.complaints.push(line);
  }
}

/** A process that has loaded everything that dist/ has and does nothing. @returns its pid and its end. */
export function idleProcess(): { readonly pid: number; readonly end: () => void } {
  const code = `await import(${JSON.stringify(`${root}dist/src/commands/cli.js`)}); setInterval(() => {}, 1e6)`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "ignore", cwd: root });
  return { pid: child.pid ?? 0, end: () => void child.kill("SIGKILL") };
}
