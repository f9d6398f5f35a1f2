import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type BinaryName, binaryPath } from "./binaries.ts";
import type { ProcessGuard } from "./process-guard.ts";

export interface ServerSpec {
  /** For messages and the log's name, as `kube-apiserver-east`. */
  readonly name: string;
  readonly binary: BinaryName;
  readonly args: readonly string[];
  readonly guard: ProcessGuard;
  /** Whether it serves; asked again until it does. Never rejects. */
  readonly isReady: (signal: AbortSignal) => Promise<boolean>;
}

/** A server on two busy cores is ready after some seconds; far more than that is a failure, not slowness. */
const readyWithinMs = 120_000;
const stopWithinMs = 15_000;
const pollMs = 50;
const tailLines = 40;

function hasExited(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/**
 * One server that can be stopped, killed and started again with the same arguments, thus the same data, ports and
 * certificates. Its output goes to `logFile`, whose end stands in the error of a start that fails.
 */
export class ServerProcess {
  readonly name: string;
  readonly logFile: string;
  readonly #spec: ServerSpec;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();

  constructor(spec: ServerSpec) {
    this.#spec = spec;
    this.name = spec.name;
    this.logFile = join(spec.guard.folder, `${spec.name}.log`);
  }

  get running(): boolean {
    return this.#child !== undefined && !hasExited(this.#child);
  }

  /** `undefined` while it is stopped. */
  get pid(): number | undefined {
    return this.running ? this.#child?.pid : undefined;
  }

  /** Resolves when it serves. @throws Error when it ends before that, or is not ready after two minutes. */
  async start(): Promise<void> {
    if (this.running) throw new Error(`${this.name} runs already`);
    const child = this.#spawn();
    const deadline = AbortSignal.timeout(readyWithinMs);
    while (!hasExited(child)) {
      if (await this.#spec.isReady(deadline)) return;
      if (deadline.aborted) {
        await this.kill("SIGKILL");
        throw new Error(
          `${this.name} is not ready after ${readyWithinMs / 1000} s:\n${await this.logTail()}`,
        );
      }
      await delay(pollMs);
    }
    throw new Error(`${this.name} ended before it was ready:\n${await this.logTail()}`);
  }

  /** SIGTERM, as an orderly shutdown; SIGKILL where that takes longer than 15 s. Resolves when it has ended. */
  async stop(): Promise<void> {
    if (!this.running) return;
    this.#child?.kill("SIGTERM");
    const waited = new AbortController();
    const tooLong = delay(stopWithinMs, true, { signal: waited.signal }).catch(() => false);
    if (await Promise.race([this.#exited.then(() => false), tooLong])) await this.kill("SIGKILL");
    waited.abort();
  }

  /** Sends a signal. Resolves when the process has ended; at once after SIGSTOP and SIGCONT. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (!this.running) return;
    this.#child?.kill(signal);
    if (signal === "SIGSTOP" || signal === "SIGCONT") return;
    this.#child?.ref();
    await this.#exited;
  }

  /** `stop`, then `start`. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** The end of what it wrote, over all its starts. */
  async logTail(lines = tailLines): Promise<string> {
    const text = await readFile(this.logFile, "utf8");
    return text.trimEnd().split("\n").slice(-lines).join("\n");
  }

  /** Ends it for good and removes its data. */
  async close(): Promise<void> {
    await this.kill("SIGKILL");
    await this.#spec.guard.close();
  }

  #spawn(): ChildProcess {
    const log = openSync(this.logFile, "a");
    const child = spawn(binaryPath(this.#spec.binary), this.#spec.args, {
      cwd: this.#spec.guard.folder,
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    child.unref();
    this.#child = child;
    if (child.pid !== undefined) this.#spec.guard.watch(child.pid);
    this.#exited = new Promise((resolve) => {
      child.once("error", () => resolve());
      child.once("exit", () => {
        this.#spec.guard.nothingRuns();
        resolve();
      });
    });
    return child;
  }
}

/** Starts it. @throws Error as `start` does, after `close`, so that nothing is left. */
export async function startOrClose(process: ServerProcess, close = () => process.close()): Promise<void> {
  try {
    await process.start();
  } catch (error) {
    await close();
    throw error;
  }
}
