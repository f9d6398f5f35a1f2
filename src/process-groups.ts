import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** All of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ProcessGroup {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  /** Kills what is left of it: the program, and what it has started. */
  end(): void;
}

/**
 * Programs, each in a process group of its own. What was not ended before ends when this process does, unless that is
 * killed outright. Their standard input is empty, and their standard error goes nowhere.
 */
export class ProcessGroups {
  readonly #running = new Set<ProcessGroup>();
  readonly #onExit = (): void => this.#running.forEach((group) => group.end());

  /** @throws Error where the program cannot even be tried; otherwise the child emits `error`. */
  start({ command, args, env }: Program): ProcessGroup {
    const child = spawn(command, args, { env, detached: true, stdio: ["ignore", "pipe", "ignore"] });
    const group = { child, end: () => killGroup(child.pid) };
    if (this.#running.size === 0) process.once("exit", this.#onExit);
    this.#running.add(group);
    return group;
  }

  /** It is over, or was ended: its number may be another's from now on. */
  forget(group: ProcessGroup): void {
    this.#running.delete(group);
    if (this.#running.size === 0) process.off("exit", this.#onExit);
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing is left of it, or it is not ours to end.
  }
}
