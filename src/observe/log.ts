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
  /** Takes whole lines. */
  readonly stream: { write(line: string): unknown };
  readonly clock?: Pick<Clock, "wall">;
}

/**
 * The log of the process: one line a call, `time` in ISO 8601, `level` as a word, `msg`, and the fields. What is logged
 * is bounded and stripped of secrets; an `Error` becomes type, code, message and cause.
 */
export function createLog(options: LogOptions): Log {
  const { level, format, stream, clock = systemClock } = options;
  const destination =
    format === "json"
      ? { write: (line: string) => void stream.write(line) }
      : { write: (line: string) => void stream.write(textLine(line)) };
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
  return logOn(logger, {});
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
