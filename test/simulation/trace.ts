import { createHash } from "node:crypto";

/** Lines kept for the report of a violation. */
const keptLines = 400;
/** Characters that are hashed together. */
const portion = 64 * 1024;

/** What happened in a schedule, line by line, and a hash of all of it: equal hashes, equal schedules. */
export class Trace {
  readonly #now: () => number;
  readonly #echo: ((line: string) => void) | undefined;
  readonly #hash = createHash("sha256");
  #unhashed = "";
  #kept: string[] = [];

  constructor(now: () => number, echo?: (line: string) => void) {
    this.#now = now;
    this.#echo = echo;
  }

  say(who: string, what: string): void {
    const line = `${this.#now().toFixed(3).padStart(11)} ${who.padEnd(10)} ${what}`;
    this.#unhashed += line;
    if (this.#unhashed.length >= portion) this.#hashNow();
    this.#kept.push(line);
    if (this.#kept.length > 2 * keptLines) this.#kept = this.#kept.slice(-keptLines);
    this.#echo?.(line);
  }

  /** The last lines. */
  get tail(): readonly string[] {
    return this.#kept.slice(-keptLines);
  }

  digest(): string {
    this.#hashNow();
    return this.#hash.copy().digest("hex");
  }

  #hashNow(): void {
    this.#hash.update(this.#unhashed);
    this.#unhashed = "";
  }
}
