import { printable } from "./printable.ts";

/** A line of JSON log as people read it: time, level, sentence, then `key=value`. Ends with a newline. */
export function textLine(json: string): string {
  const record: unknown = JSON.parse(json);
  if (typeof record !== "object" || record === null) return json;
  const { time, level, msg, ...fields } = record as Readonly<Record<string, unknown>>;
  const told = Object.entries(fields).map(([key, value]) => ` ${printable(key)}=${shown(value)}`);
  return `${shown(time)} ${String(level).toUpperCase().padEnd(5)} ${printable(String(msg ?? ""))}${told.join("")}\n`;
}

function shown(value: unknown): string {
  if (typeof value === "string" && /^[^\s"=\p{C}]+$/u.test(value)) return value;
  return printable(JSON.stringify(value));
}
