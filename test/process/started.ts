import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly reason?: string;
  readonly cluster?: string;
}

/** `run` as a process, from its first moment: nothing needs to be there. */
export class Started {
  readonly child: ChildProcess;
  readonly #folder = mkdtempSync(path.join(tmpdir(), "apisix-translator-started-"));
  readonly #exit: Promise<number | NodeJS.Signals | null>;
  #output = "";

  constructor(config: object, env: NodeJS.ProcessEnv = {}) {
    const file = path.join(this.#folder, "config.json");
    const observe = { listen: "127.0.0.1:0", admin: "127.0.0.1:0" };
    writeFileSync(file, JSON.stringify({ observe, ...config }));
    this.child = spawn(process.execPath, [main, "run", "--config", file], {
      env: { PATH: process.env["PATH"], ...env },
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => void (this.#output += text));
    this.#exit = new Promise((resolve) => {
      this.child.once("close", (code, signal) => resolve(code ?? signal));
    });
  }

  get output(): string {
    return this.#output;
  }

  /** What it has logged so far. */
  lines(): LogLine[] {
    const whole = this.#output.split("\n").slice(0, -1);
    return whole.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as LogLine);
  }

  /** Lines of trouble whose text or reason is as `pattern` says. */
  troubles(pattern: RegExp): LogLine[] {
    const isTrouble = ({ level }: LogLine): boolean => level === "warn" || level === "error";
    return this.lines().filter((line) => isTrouble(line) && pattern.test(`${line.msg} ${line.reason}`));
  }

  hasSaid(message: string): boolean {
    return this.lines().some(({ msg }) => msg === message);
  }

  /** The exit code, or the signal that ended it. */
  exit(): Promise<number | NodeJS.Signals | null> {
    return this.#exit;
  }

  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = performance.now() + 60_000;
    for (;;) {
      if (await Promise.resolve(holds()).catch(() => false)) return;
      if (this.child.exitCode !== null || performance.now() > deadline)
        throw new Error(`waited in vain for ${what}:\n${this.#output}`);
      await delay(20);
    }
  }

  async get(endpoint: string): Promise<{ readonly status: number; readonly text: string }> {
    const line = this.#output.split("\n").find((each) => each.includes('"translator started"')) ?? "{}";
    const { listen } = JSON.parse(line) as { readonly listen: { host: string; port: number } };
    const answer = await fetch(`http://${listen.host}:${listen.port}${endpoint}`);
    return { status: answer.status, text: await answer.text() };
  }

  async close(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.#exit;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
