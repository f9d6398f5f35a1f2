import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileMark } from "../config/file-mark.ts";
import type { Cancel, Clock } from "../runtime.ts";

/** Milliseconds between two looks. The kubelet itself takes up to a minute to change a mounted Secret. */
const lookEvery = 2500;

/**
 * The files that a connection was made from. Says when they hold something else, once they have stood still for two looks:
 * of a certificate and its key one is replaced before the other.
 */
export class AccessFiles {
  readonly #clock: Clock;
  readonly #paths: readonly string[];
  #marks: string;
  /** Of other marks that were seen by the last look. */
  #moving: string | undefined;
  #digest: string;
  #changed: () => void = () => {};
  #timer: Cancel | undefined;
  #isStopped = false;

  private constructor(clock: Clock, paths: readonly string[], marks: string, digest: string) {
    this.#clock = clock;
    this.#paths = paths;
    this.#marks = marks;
    this.#digest = digest;
  }

  /** To be taken before the files are read for use: what changes in between is noticed. */
  static async of(clock: Clock, paths: readonly string[]): Promise<AccessFiles> {
    return new AccessFiles(clock, paths, await marksOf(paths), await digestOf(paths));
  }

  /** Looks again and again, and calls `changed` whenever the files hold something else. */
  start(changed: () => void): void {
    this.#changed = changed;
    if (this.#isStopped || this.#paths.length === 0) return;
    this.#timer = this.#clock.after(lookEvery, () => void this.look().then(() => this.start(changed)));
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.();
  }

  /** Looks at once. Never rejects. */
  async look(): Promise<void> {
    const marks = await marksOf(this.#paths);
    const stoodStill = marks === this.#moving;
    this.#moving = marks === this.#marks ? undefined : marks;
    if (marks === this.#marks || !stoodStill) return;
    this.#marks = marks;
    const digest = await digestOf(this.#paths);
    if (this.#isStopped || digest === this.#digest) return;
    this.#digest = digest;
    this.#changed();
  }
}

async function marksOf(paths: readonly string[]): Promise<string> {
  return (await Promise.all(paths.map(fileMark))).join(" ");
}

/** Of what the files hold; one that cannot be read counts as what it is. */
async function digestOf(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  const contents = await Promise.all(paths.map((path) => readFile(path).catch(() => undefined)));
  for (const content of contents) {
    hash.update(content === undefined ? "absent;" : `${content.length};`);
    if (content !== undefined) hash.update(content);
  }
  return hash.digest("hex");
}
