import type { Io, Sink } from "../commands/command.ts";

/** Milliseconds between two looks at what the live line shows. */
const refresh = 250;
const clearLine = "\r\u001b[2K";

/**
 * The story, line by line on standard output, and under it one live line on standard error. The live line is there only
 * where both are terminals: in any other mixture one would be written into the other.
 */
export class Screen {
  readonly #io: Pick<Io, "stdout" | "stderr">;
  #live: (() => string) | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(io: Pick<Io, "stdout" | "stderr">) {
    this.#io = io;
  }

  /** From now on `line` is shown, until `stop`. */
  show(line: () => string): void {
    if (!this.#io.stdout.isTerminal || !this.#io.stderr.isTerminal) return;
    this.#live = line;
    this.#timer = setInterval(() => this.#draw(), refresh);
  }

  readonly tell = (line: string): void => this.#above(this.#io.stdout, `${line}\n`);

  /** For the log, whose lines may come at any time. */
  readonly log = { write: (line: string): void => this.#above(this.#io.stderr, line) };

  stop(): void {
    clearInterval(this.#timer);
    if (this.#live !== undefined) this.#io.stderr.write(clearLine);
    this.#live = undefined;
  }

  #above(sink: Sink, text: string): void {
    if (this.#live !== undefined) this.#io.stderr.write(clearLine);
    sink.write(text);
    this.#draw();
  }

  #draw(): void {
    if (this.#live !== undefined) this.#io.stderr.write(`${clearLine}${this.#live()}`);
  }
}
