import type { Log, LogFields } from "../../src/runtime.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

/** A log that keeps its lines there. */
export function logInto(lines: LogLine[], bound: LogFields = {}): Log {
  const say = (level: LogLine["level"]) => (fields: LogFields, message: string) =>
    void lines.push({ level, message, fields: { ...bound, ...fields } });
  const child = (fields: LogFields): Log => logInto(lines, { ...bound, ...fields });
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error"), child };
}
