import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Answer, Ask, Commands } from "./protocol.ts";

export interface ChildOptions {
  readonly args?: readonly string[];
  readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Hears each line of the process's standard error; without it the lines go to ours. */
  readonly onLine?: (line: string) => void;
}

/** A process of a bench, spoken to as if its commands were functions here. */
export class Child<C extends Commands> {
  readonly #process: ChildProcess;
  /** Rejects when the process ends, however it came to that. */
  readonly ended: Promise<never>;
  readonly #open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #asked = 0;

  constructor(module: URL, options: ChildOptions = {}) {
    const { args = [], execArgv = [], env = {}, onLine } = options;
    const child = fork(module, args, {
      execArgv: [...execArgv],
      env: { ...process.env, ...env },
      serialization: "advanced",
      stdio: ["ignore", "inherit", onLine === undefined ? "inherit" : "pipe", "ipc"],
    });
    this.#process = child;
    child.on("message", (message) => this.#answered(message as Answer));
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(() => {});
    this.ended = ended.promise;
    child.on("exit", (code, signal) => {
      const error = new Error(`${module.pathname} ended: ${code ?? signal ?? "?"}`);
      ended.reject(error);
      this.#failAll(error);
    });
    if (onLine !== undefined) readLines(child, onLine);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  ask<K extends keyof C & string>(command: K, ...args: Parameters<C[K]>): Promise<Awaited<ReturnType<C[K]>>> {
    const ask: Ask = { number: ++this.#asked, command, args };
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#open.set(ask.number, { resolve, reject });
    });
    this.#process.send(ask, (error) => {
      if (error !== null) this.#failAll(error);
    });
    return answer as Promise<Awaited<ReturnType<C[K]>>>;
  }

  /** Ends the process as an operator does; whoever wants what it holds must have asked before. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    await ended;
  }

  #answered(answer: Answer): void {
    const asked = this.#open.get(answer.number);
    this.#open.delete(answer.number);
    if ("problem" in answer) asked?.reject(new Error(answer.problem));
    else asked?.resolve(answer.value);
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }
}

function readLines({ stderr }: ChildProcess, onLine: (line: string) => void): void {
  let rest = "";
  stderr?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(onLine);
  });
}
