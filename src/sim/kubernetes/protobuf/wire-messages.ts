import { wireSchema } from "./wire-schema.ts";

/** How one field is written. */
export interface WireField {
  readonly number: number;
  /** `""` where the fields of its message stand beside it. */
  readonly name: string;
  readonly type: string;
  readonly shape: "one" | "list" | "map" | "inline";
  readonly isOptional: boolean;
}

export interface WireMessage {
  /** By number. */
  readonly fields: readonly WireField[];
  /** Names that its JSON may have. */
  readonly names: ReadonlySet<string>;
}

const messages = new Map<string, WireMessage>();

/** Undefined for types that are no messages. */
export function wireMessage(type: string): WireMessage | undefined {
  const known = messages.get(type);
  const row = wireSchema[type];
  if (known !== undefined || row === undefined) return known;
  const fields = row.split("; ").map(fieldOf);
  const names = new Set(
    fields.flatMap(({ shape, name, type: inner }) =>
      shape === "inline" ? [...(wireMessage(inner)?.names ?? [])] : [name],
    ),
  );
  const message = { fields, names };
  messages.set(type, message);
  return message;
}

function fieldOf(text: string): WireField {
  const parts = /^(\d+) (\S+) (\w+)(\[\]|\{\})?(\?)?$/.exec(text);
  if (parts === null) throw new Error(`the schema has a field that cannot be read: ${text}`);
  const [, number = "", name = "", type = "", many, optional] = parts;
  const isInline = name === "...";
  return {
    number: Number(number),
    name: isInline ? "" : name,
    type,
    shape: isInline ? "inline" : many === "[]" ? "list" : many === "{}" ? "map" : "one",
    isOptional: optional !== undefined,
  };
}
