#!/usr/bin/env node
import { createInterface } from "node:readline/promises";
import { faultCode, reportFault, runCommand } from "./commands/cli.ts";
import { version } from "./commands/version.ts";
import type { Sink } from "./commands/command.ts";
import { readTextFile } from "./config/file.ts";
import { processEnvironment } from "./config.ts";

const env = processEnvironment();
const argv = process.argv.slice(2);
const stderr = sink(process.stderr);
const stopping = new AbortController();

for (const name of ["SIGTERM", "SIGINT"] as const) {
  process.on(name, () => {
    // Whoever asks twice does not want to wait for what is in flight.
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort();
  });
}
// A terminal that closes says so more than once, by the kernel and by its shell: that is no haste.
process.on("SIGHUP", () => stopping.abort());
// Unheard, Node answers it with a debugger that anybody on this machine, or in this Pod, may use, admin key and all.
process.on("SIGUSR1", () => {});
process.on("uncaughtException", (error) => {
  reportFault(error, undefined, stderr);
  process.exit(faultCode(argv));
});
// A reader that has seen enough (`plan | head`) is no fault; anything else is, but there is nowhere left to say so.
process.stdout.on("error", (error: NodeJS.ErrnoException) =>
  process.exit(error.code === "EPIPE" ? 0 : faultCode(argv)),
);

// Talk that nobody can read (a full disk, a reader that is gone) must not end the work; the log counts what was lost.
process.stderr.on("error", () => {});

const code = await runCommand(argv, version(), {
  stdout: sink(process.stdout),
  stderr,
  env,
  readFile: readTextFile,
  fetch,
  ask: process.stdin.isTTY === true ? ask : undefined,
  signal: stopping.signal,
});
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
process.exit(code);

function sink(stream: NodeJS.WriteStream): Sink {
  return {
    write: (text, written) => void stream.write(text, written),
    isTerminal: stream.isTTY === true,
    colour: stream.isTTY === true && (env["NO_COLOR"] ?? "") === "",
  };
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question, { signal: stopping.signal });
  } finally {
    terminal.close();
  }
}

/** `process.exit` drops what a pipe has not taken yet. Where nothing waits, a full disk is not asked: it would refuse that too. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}
