import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Client, Reading } from "./client.ts";
import type { LoadedCluster } from "../processes/load-process.ts";

const source = fileURLToPath(new URL("informer-go", import.meta.url));
const sources = ["main.go", "go.mod", "go.sum"];
/** Half an hour for a machine that has nothing of it yet. */
const buildWithin = 1_800_000;

/**
 * Builds the informer, or finds it built before, in the user's cache.
 *
 * Errors: where Go is missing, too old, or cannot get its modules.
 */
export function buildGoInformer(): string {
  const hash = createHash("sha256");
  for (const name of sources) hash.update(readFileSync(path.join(source, name)));
  const cache = process.env["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache");
  const folder = path.join(cache, "apisix-translator", "bench");
  const binary = path.join(folder, `informer-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  const unfinished = `${binary}.${process.pid}`;
  execFileSync("go", ["build", "-ldflags", "-s -w", "-o", unfinished, "."], {
    ...{ cwd: source, env: { ...process.env, CGO_ENABLED: "0" }, timeout: buildWithin, stdio: "pipe" },
  });
  renameSync(unfinished, binary);
  return binary;
}

/** client-go's informer in its own process; asked by a line, answers with one. */
export class GoInformer implements Client {
  readonly #binary: string;
  readonly #folder = mkdtempSync(path.join(tmpdir(), "apisix-translator-go-"));
  #process: ChildProcess | undefined;
  #answers: AsyncIterator<string> | undefined;

  constructor(binary: string) {
    this.#binary = binary;
  }

  async start({ url, ca, token }: LoadedCluster & { readonly token: string }): Promise<void> {
    const caFile = path.join(this.#folder, "ca.pem");
    writeFileSync(caFile, ca);
    const child = spawn(this.#binary, [url, caFile, token], { stdio: ["pipe", "pipe", "inherit"] });
    this.#process = child;
    this.#answers = createInterface(child.stdout)[Symbol.asyncIterator]();
    return Promise.resolve();
  }

  async read(): Promise<Reading> {
    this.#process?.stdin?.write("\n");
    const answer = await this.#answers?.next();
    if (answer === undefined || answer.done === true) throw new Error("the Go informer has ended");
    return JSON.parse(answer.value) as Reading;
  }

  stop(): Promise<void> {
    this.#process?.kill();
    rmSync(this.#folder, { recursive: true, force: true });
    return Promise.resolve();
  }
}
