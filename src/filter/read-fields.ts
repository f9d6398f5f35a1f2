/** A field of the wrong type: the object is not what its kind must be. The message names the field, never its value. */
export class FieldError extends Error {
  constructor(path: string, wanted: string) {
    super(`${path} is not ${wanted}`);
    this.name = "FieldError";
  }
}

export type Fields = Readonly<Record<string, unknown>>;

const noFields: Fields = {};

/** Absent and null mean the same on Kubernetes' wire: not set. */
export function fieldsOf(value: unknown, path: string): Fields {
  if (value === undefined || value === null) return noFields;
  if (typeof value === "object" && !Array.isArray(value)) return value as Fields;
  throw new FieldError(path, "an object");
}

export function listOf(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new FieldError(path, "a list");
}

/** `undefined` where it is not set. */
export function textOf(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw new FieldError(path, "a string");
}

export function neededText(value: unknown, path: string): string {
  const text = textOf(value, path);
  if (text === undefined || text === "") throw new FieldError(path, "a string that is not empty");
  return text;
}

/** False where it is not set. */
export function flagOf(value: unknown, path: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === "boolean") return value;
  throw new FieldError(path, "true or false");
}

/** RFC 3339 → milliseconds since 1970. */
export function neededTime(value: unknown, path: string): number {
  const text = neededText(value, path);
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new FieldError(path, "a time");
  return time;
}

/** `undefined` where it is not set. */
export function numberOf(value: unknown, path: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") return value;
  throw new FieldError(path, "a number");
}

export function neededPort(value: unknown, path: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65535) return value;
  throw new FieldError(path, "a port number");
}
