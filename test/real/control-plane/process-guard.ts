import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";

/**
 * Reads process ids line by line (an empty line: none runs). At the end of its input, whatever ended it, it kills the
 * last one named and removes the folder.
 */
const guardScript = `trap "" HUP INT TERM
while read -r line; do pid=$line; done
if [ -n "$pid" ]; then kill -KILL "$pid"; fi
rm -rf -- "$1"`;

/**
 * Owns a temporary folder and the one process that works in it, and outlives this process: a test run that is
 * aborted, even with SIGKILL, leaves neither behind.
 *
 * Assumes a POSIX shell. Its input is a pipe that only this process holds, so the kernel ends it with us.
 */
export class ProcessGuard {
  readonly folder: string;
  readonly #shell: ChildProcess;

  private constructor(folder: string, shell: ChildProcess) {
    this.folder = folder;
    this.#shell = shell;
  }

  static async open(name: string): Promise<ProcessGuard> {
    const folder = await mkdtemp(join(tmpdir(), `apisix-translator-${name}-`));
    // In a session of its own: Ctrl-C in the terminal must not end the guard before it has done its work.
    const shell = spawn("sh", ["-c", guardScript, "guard", folder], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    await once(shell, "spawn");
    shell.unref();
    // A guard that died early makes the pipe fail; the servers are still ended by `close`.
    shell.stdin?.on("error", () => {});
    return new ProcessGuard(folder, shell);
  }

  watch(pid: number): void {
    this.#shell.stdin?.write(`${pid}\n`);
  }

  nothingRuns(): void {
    this.#shell.stdin?.write("\n");
  }

  /** Kills what still runs and removes the folder; calling it again does nothing. */
  async close(): Promise<void> {
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null) return;
    this.#shell.ref();
    const exited = once(this.#shell, "exit");
    this.#shell.stdin?.end();
    await exited;
  }
}
