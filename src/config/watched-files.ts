import type { Cancel, Clock, Log } from "../runtime.ts";
import { fileMark, notRegular } from "./file-mark.ts";

/** Milliseconds between two looks. The kubelet itself takes up to a minute to change a mounted Secret. */
const lookEvery = 1000;

/** What the files say together; `text` is all that was read, to tell whether it is something new. */
export type FileReading<T> =
  | { readonly ok: true; readonly value: T; readonly text: string }
  | { readonly ok: false; readonly reason: string; readonly problems?: readonly string[] };

export interface WatchedFilesParts<T> {
  /** What they are, for the log, as "the admin key". */
  readonly what: string;
  readonly paths: readonly string[];
  readonly read: () => FileReading<T>;
  /** What is in use now, and what was read for it. */
  readonly first: { readonly value: T; readonly text: string };
  /** Called with each new value, when it is in use. */
  readonly changed?: (value: T) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Files that may change while they are in use. What is new is taken when it is good as a whole; until then the old one
 * stays, and that is said.
 *
 * What is no regular file is not read again: a pipe gives its content once.
 */
export class WatchedFiles<T> {
  readonly #parts: WatchedFilesParts<T>;
  #value: T;
  #text: string;
  /** Of the files as they were when they were last judged. */
  #judged: string | undefined;
  /** Of what was bad the last time: two files that are being replaced may not fit for a moment. */
  #suspect: string | undefined;
  #complained = false;
  #timer: Cancel | undefined;
  #stopped = false;

  constructor(parts: WatchedFilesParts<T>) {
    this.#parts = parts;
    this.#value = parts.first.value;
    this.#text = parts.first.text;
  }

  get value(): T {
    return this.#value;
  }

  start(): void {
    if (this.#stopped) return;
    this.#timer = this.#parts.clock.after(lookEvery, () => void this.look().then(() => this.start()));
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
  }

  /** Looks at once. Never rejects. */
  async look(): Promise<void> {
    const marks = await Promise.all(this.#parts.paths.map(fileMark));
    if (this.#stopped || marks.includes(notRegular)) return;
    const mark = marks.join(" ");
    if (mark === this.#judged) return;
    const reading = this.#parts.read();
    if (reading.ok) {
      this.#judged = mark;
      this.#suspect = undefined;
      return this.#take(reading);
    }
    if (mark === this.#suspect) {
      this.#judged = mark;
      this.#complain(reading);
    }
    this.#suspect = mark;
  }

  #take({ value, text }: Extract<FileReading<T>, { ok: true }>): void {
    const { what, log, changed } = this.#parts;
    if (text !== this.#text) {
      this.#value = value;
      this.#text = text;
      log.info({ what }, "a file has changed: what it says now is used");
      changed?.(value);
    } else if (this.#complained) log.info({ what }, "a file says again what is used");
    this.#complained = false;
  }

  #complain({ reason, problems = [] }: Extract<FileReading<T>, { ok: false }>): void {
    const { what, paths, log } = this.#parts;
    this.#complained = true;
    const isShort = [reason, ...problems].some((text) => /\bE[MN]FILE\b/.test(text));
    const remedy = isShort ? "raise the process's limit of file descriptors (ulimit -n)" : "mend the file";
    const advice = `${remedy}; it is looked at again, no restart is needed`;
    const why = { reason, ...(problems.length === 0 ? {} : { problems }) };
    log.error({ what, paths, ...why, advice }, "a file cannot be used: what it said before is used on");
  }
}
