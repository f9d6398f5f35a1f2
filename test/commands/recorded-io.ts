import type { Io, Sink } from "../../src/commands/command.ts";

export interface Recorded {
  readonly io: Io;
  out(): string;
  err(): string;
}

/** A command's surroundings that remember what was written. `files` are all the files there are. */
export function recordedIo(
  given: {
    readonly env?: Readonly<Record<string, string>>;
    readonly files?: Readonly<Record<string, string>>;
    readonly colour?: boolean;
    readonly signal?: AbortSignal;
    /** What somebody types when asked; absent: there is no terminal. */
    readonly typed?: string;
  } = {},
): Recorded {
  const { env = {}, files = {}, colour = false, signal = new AbortController().signal } = given;
  const written = { out: "", err: "" };
  const sink = (name: keyof typeof written): Sink => ({
    write(text) {
      written[name] += text;
    },
    isTerminal: colour,
    colour,
  });
  const io: Io = {
    stdout: sink("out"),
    stderr: sink("err"),
    env,
    readFile(path) {
      const content = files[path];
      if (content === undefined) throw Object.assign(new Error(path), { code: "ENOENT" });
      return content;
    },
    fetch,
    ask:
      given.typed === undefined
        ? undefined
        : (question) => {
            written.err += question;
            return Promise.resolve(given.typed ?? "");
          },
    signal,
  };
  return { io, out: () => written.out, err: () => written.err };
}
