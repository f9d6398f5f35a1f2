/**
 * Checks values against the part of JSON Schema that APISIX's own schemas use, with the habits of the Lua library
 * behind its Admin API (recorded in test/contract/data/apisix-3.18):
 *
 * - an empty array passes as an object and an empty object as an array (both are the empty Lua table);
 * - `null` is a value of its own type and passes no `type`;
 * - string lengths count characters, not bytes;
 * - `default` is not applied.
 *
 * A schema is compiled once into closures: the embedded Admin API checks more than 10,000 bodies a second.
 */
import { duplicateProblem, numberChecks, stringChecks } from "./json-schema-leaves.ts";

type JsonType = "object" | "array" | "string" | "number" | "integer" | "boolean";

export interface JsonSchema {
  readonly type?: JsonType;
  readonly title?: string;
  readonly description?: string;
  readonly $comment?: string;
  readonly default?: unknown;
  readonly enum?: readonly (string | number | boolean)[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: false;
  readonly required?: readonly string[];
  readonly dependencies?: Readonly<Record<string, JsonSchema>>;
  readonly minProperties?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly uniqueItems?: true;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: "ipv4" | "ipv6";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
}

/** What is wrong with a value, as one line; `undefined` when nothing is. */
export type Check = (value: unknown) => string | undefined;

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Compiles `schema`. @throws SyntaxError when a pattern of the schema is not a regular expression. */
export function compileSchema(schema: JsonSchema): Check {
  const checks = [
    ...typeChecks(schema),
    ...objectChecks(schema),
    ...arrayChecks(schema),
    ...stringChecks(schema),
    ...numberChecks(schema),
    ...combinedChecks(schema),
  ];
  const [only] = checks;
  if (only === undefined) return () => undefined;
  if (checks.length === 1) return only;
  return (value) => {
    for (const check of checks) {
      const problem = check(value);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

function luaType(value: unknown): string {
  if (value === null) return "userdata";
  return typeof value === "object" ? "table" : typeof value;
}

const passesType: Readonly<Record<JsonType, (value: unknown) => boolean>> = {
  object: (value) => isJsonObject(value) || (Array.isArray(value) && value.length === 0),
  array: (value) => Array.isArray(value) || (isJsonObject(value) && Object.keys(value).length === 0),
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
};

function typeChecks(schema: JsonSchema): Check[] {
  const checks: Check[] = [];
  const { type } = schema;
  if (type !== undefined) {
    const passes = passesType[type];
    checks.push((value) =>
      passes(value) ? undefined : `wrong type: expected ${type}, got ${luaType(value)}`,
    );
  }
  if (schema.enum !== undefined) {
    const allowed = new Set<unknown>(schema.enum);
    checks.push((value) => (allowed.has(value) ? undefined : "matches none of the enum values"));
  }
  return checks;
}

function ofObject(check: (value: JsonObject) => string | undefined): Check {
  return (value) => (isJsonObject(value) ? check(value) : undefined);
}

function objectChecks(schema: JsonSchema): Check[] {
  const checks: Check[] = [];
  const properties = new Map<string, Check>();
  for (const [name, part] of Object.entries(schema.properties ?? {}))
    properties.set(name, compileSchema(part));
  const patterns = Object.entries(schema.patternProperties ?? {}).map(([pattern, part]) => ({
    pattern,
    matches: pattern === ".*" ? () => true : (name: string) => new RegExp(pattern).test(name),
    check: compileSchema(part),
  }));
  const closed = schema.additionalProperties === false;
  if (properties.size > 0 || patterns.length > 0 || closed) {
    checks.push(ofObject((value) => memberProblem(value, properties, patterns, closed)));
  }
  const { required, minProperties, dependencies } = schema;
  if (required !== undefined) {
    checks.push((value) => {
      // An empty array is the empty table: it lacks every property. Other values are not objects, so nothing is required.
      if (typeof value !== "object" || value === null) return undefined;
      const missing = required.find((name) => !Object.hasOwn(value, name));
      return missing === undefined ? undefined : `property "${missing}" is required`;
    });
  }
  if (minProperties !== undefined) {
    checks.push((value) =>
      typeof value === "object" && value !== null && Object.keys(value).length < minProperties
        ? `expect object to have at least ${minProperties} properties`
        : undefined,
    );
  }
  for (const [name, part] of Object.entries(dependencies ?? {})) {
    const check = compileSchema(part);
    checks.push(
      ofObject((value) => {
        const problem = Object.hasOwn(value, name) ? check(value) : undefined;
        return problem && `failed to validate dependent schema for "${name}": ${problem}`;
      }),
    );
  }
  return checks;
}

interface PatternCheck {
  readonly pattern: string;
  readonly matches: (name: string) => boolean;
  readonly check: Check;
}

function memberProblem(
  value: JsonObject,
  properties: ReadonlyMap<string, Check>,
  patterns: readonly PatternCheck[],
  closed: boolean,
): string | undefined {
  for (const name of Object.keys(value)) {
    const check = properties.get(name);
    if (check !== undefined) {
      const problem = check(value[name]);
      if (problem !== undefined) return `property "${name}" validation failed: ${problem}`;
    }
    let matched = check !== undefined;
    for (const each of patterns) {
      if (!each.matches(name)) continue;
      matched = true;
      const problem = each.check(value[name]);
      if (problem !== undefined) return `failed to validate ${name} (matching "${each.pattern}"): ${problem}`;
    }
    if (closed && !matched) return `additional properties forbidden, found ${name}`;
  }
  return undefined;
}

function arrayChecks(schema: JsonSchema): Check[] {
  const checks: Check[] = [];
  const { minItems, uniqueItems, items } = schema;
  if (minItems !== undefined) {
    checks.push((value) => {
      const size = Array.isArray(value) ? value.length : passesType.array(value) ? 0 : minItems;
      return size < minItems ? `expect array to have at least ${minItems} items` : undefined;
    });
  }
  if (items !== undefined) {
    const check = compileSchema(items);
    checks.push((value) => {
      if (!Array.isArray(value)) return undefined;
      for (let at = 0; at < value.length; at += 1) {
        const problem = check(value[at]);
        if (problem !== undefined) return `failed to validate item ${at + 1}: ${problem}`;
      }
      return undefined;
    });
  }
  if (uniqueItems === true)
    checks.push((value) => (Array.isArray(value) ? duplicateProblem(value) : undefined));
  return checks;
}

function combinedChecks(schema: JsonSchema): Check[] {
  const checks: Check[] = [];
  for (const [at, part] of (schema.allOf ?? []).entries()) {
    const check = compileSchema(part);
    checks.push((value) => {
      const problem = check(value);
      return problem && `allOf ${at + 1} failed: ${problem}`;
    });
  }
  if (schema.oneOf !== undefined) {
    const parts = schema.oneOf.map(compileSchema);
    checks.push((value) => oneOfProblem(value, parts));
  }
  if (schema.anyOf !== undefined) {
    const parts = schema.anyOf.map(compileSchema);
    checks.push((value) =>
      parts.some((part) => part(value) === undefined) ? undefined : "object matches none of the required",
    );
  }
  if (schema.not !== undefined) {
    const check = compileSchema(schema.not);
    checks.push((value) =>
      check(value) === undefined ? "value wasn't supposed to match schema" : undefined,
    );
  }
  return checks;
}

function oneOfProblem(value: unknown, parts: readonly Check[]): string | undefined {
  let first: number | undefined;
  for (const [at, part] of parts.entries()) {
    if (part(value) !== undefined) continue;
    if (first !== undefined) {
      return `value should match only one schema, but matches both schemas ${first + 1} and ${at + 1}`;
    }
    first = at;
  }
  return first === undefined ? "value should match only one schema, but matches none" : undefined;
}
