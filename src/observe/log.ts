import { pino } from "pino";
import type { Logger } from "pino";
import type { LogLevel } from "../config.ts";
import { systemClock } from "../runtime.ts";
import type { Clock, Log, LogFields } from "../runtime.ts";
import { loggable } from "./loggable.ts";
import { textLine } from "./text-line.ts";

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: "json" | "text";
  /** Takes whole lines; may say of each, later, whether it was written. */
  readonly stream: { write(line: string, written: (error?: Error | null) => void): unknown };
  readonly clock?: Pick<Clock, "wall">;
}

/**
 * The log of the process: one line a call, `time` in ISO 8601, `level` as a word, `msg`, and the fields. What is logged
 * is bounded and stripped of secrets; an `Error` becomes type, code, message and cause. Lines that cannot be written (a full
 * disk, a reader that is gone) are lost, and counted in the first line that can.
 */
export function createLog(options: LogOptions): Log {
  const { level, format, stream, clock = systemClock } = options;
  const losses = new Losses((lines) => {
    const advice =
      "there was no room under the log, or nobody read it; the translator's work went on meanwhile";
    log.warn({ lines, advice }, "log lines were lost");
  });
  const destination = {
    write: (line: string) => void stream.write(format === "json" ? line : textLine(line), losses.note),
  };
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.wall()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Pino's own would take the plain form of an error for an error.
      serializers: { err: (value: unknown) => value },
    },
    destination,
  );
  const log = logOn(logger, {});
  return log;
}

/** Tells how many lines were lost since the start, once after each time that some were. */
class Losses {
  readonly #tell: (lines: number) => void;
  #lost = 0;
  #told = 0;

  constructor(tell: (lines: number) => void) {
    this.#tell = tell;
  }

  readonly note = (error?: Error | null): void => {
    if (error !== undefined && error !== null) {
      this.#lost += 1;
      return;
    }
    if (this.#told === this.#lost) return;
    this.#told = this.#lost;
    this.#tell(this.#lost);
  };
}

/** Fields of a call win over those of the child that it is made on. */
function logOn(logger: Logger, bound: LogFields): Log {
  const say =
    (level: LogLevel) =>
    (fields: LogFields, message: string): void => {
      if (logger.isLevelEnabled(level)) logger[level](safe({ ...bound, ...fields }), message);
    };
  return {
    debug: say("debug"),
    info: say("info"),
    warn: say("warn"),
    error: say("error"),
    child: (fields) => logOn(logger, { ...bound, ...fields }),
  };
}

const ownNames = new Set(["time", "level", "msg"]);

/** Fields that are called as pino's own would make a line with the same key twice. */
function safe(fields: LogFields): Record<string, unknown> {
  const plain = loggable(fields);
  const entries = typeof plain === "object" && plain !== null ? Object.entries(plain) : [];
  return Object.fromEntries(entries.map(([key, value]) => [ownNames.has(key) ? `${key}_` : key, value]));
}
