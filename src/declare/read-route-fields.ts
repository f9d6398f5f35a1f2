import { compareBytewise } from "./byte-order.ts";
import type { Rewrite } from "./declaration.ts";
import { allowedHost, hostSchema, normalizeHost } from "./host.ts";
import { makeReader, objectSchema, optional, readFields, readOneOf } from "./read-value.ts";
import type { Fields, JsonSchema, Read, Reader, Report } from "./read-value.ts";
import { checkPath, checkUri, pathSchema, uriSchema } from "./uri.ts";

/** Pairs of one route. */
export const maxPairs = 1000;

/** APISIX's method names (its route schema). */
const methods = [
  "GET",
  "POST",
  "PUT",
  "DELETE",
  "PATCH",
  "HEAD",
  "OPTIONS",
  "CONNECT",
  "TRACE",
  "PURGE",
] as const;

export const readHost: Reader<string> = makeReader(hostSchema, (value, field, report) => {
  if (typeof value !== "string") return report(field, value, allowedHost);
  const result = normalizeHost(value);
  return result.ok ? result.host : report(field, value, result.message);
});

export const readUri: Reader<string> = makeReader(uriSchema, (value, field, report) => {
  if (typeof value !== "string") return report(field, value, 'allowed is a path such as "/shop"');
  const result = checkUri(value);
  return result.ok ? result.uri : report(field, value, result.message);
});

const readPath: Reader<string> = makeReader(pathSchema, (value, field, report) => {
  if (typeof value !== "string") return report(field, value, 'allowed is a path such as "/shop"');
  const result = checkPath(value);
  return result.ok ? result.uri : report(field, value, result.message);
});

export function readHosts(fields: Fields, report: Report): readonly string[] | undefined {
  return oneOrMany(fields, "host", "hosts", readHost, report);
}

export function readUris(fields: Fields, report: Report): readonly string[] | undefined {
  return oneOrMany(fields, "uri", "uris", readUri, report);
}

/**
 * Whether a route stands on more pairs than it may. Hosts multiply with uris: without a bound, 64 KiB of text unfold
 * to millions of pairs.
 */
export function hasTooManyPairs(
  hosts: readonly string[] | undefined,
  uris: readonly string[] | undefined,
): boolean {
  return (hosts?.length ?? 1) * (uris?.length ?? 1) > maxPairs;
}

/** The schema of an array that `readSet` accepts; that two spellings can mean one element it does not say. */
export function setSchema(items: JsonSchema): JsonSchema {
  return { type: "array", minItems: 1, uniqueItems: true, items };
}

const readMethod = readOneOf(methods);

export const readMethods: Reader<readonly string[]> = makeReader(
  setSchema(readMethod.schema),
  (value, field, report) => readSet(value, field, readMethod, report),
);

const readPrefix: Reader<string> = makeReader(
  { ...pathSchema, not: { const: "/" } },
  (value, field, report) => {
    const path = readPath(value, field, report);
    if (path === "/") return report(field, value, 'it strips nothing; allowed is a path such as "/shop"');
    return path?.endsWith("/") === true ? path.slice(0, -1) : path;
  },
);

const rewriteSchema = {
  ...objectSchema({ stripPrefix: readPrefix.schema, uri: readPath.schema }),
  minProperties: 1,
  maxProperties: 1,
};

export const readRewrite: Reader<Rewrite> = makeReader(rewriteSchema, (value, field, report) => {
  const fields = readFields(value, field, report, ["stripPrefix", "uri"]);
  if (fields === undefined) return undefined;
  if (fields.has("stripPrefix") === fields.has("uri")) {
    return report(field, value, "allowed is exactly one of stripPrefix and uri");
  }
  const uri = optional(fields, "uri", readPath, report, field);
  if (uri !== undefined) return { uri };
  const stripPrefix = optional(fields, "stripPrefix", readPrefix, report, field);
  return stripPrefix === undefined ? undefined : { stripPrefix };
});

function oneOrMany(fields: Fields, one: string, many: string, read: Read<string>, report: Report) {
  if (fields.has(one) && fields.has(many)) {
    return report(many, fields.get(many), `${one} is set too; allowed is one of ${one} and ${many}`);
  }
  const single = optional(fields, one, read, report);
  if (single !== undefined) return [single];
  return optional(fields, many, (value, field) => readSet(value, field, read, report), report);
}

/** A non-empty array of which each element, normalised, stands once; sorted bytewise. */
function readSet<T extends string>(
  value: unknown,
  field: string,
  read: Read<T>,
  report: Report,
): readonly T[] | undefined {
  if (!Array.isArray(value) || value.length === 0) {
    return report(field, value, "allowed is an array with at least one element");
  }
  const seen = new Set<T>();
  let sound = true;
  for (const [index, element] of value.entries()) {
    const at = `${field}[${index}]`;
    const result = read(element, at, report);
    if (result === undefined) sound = false;
    else if (seen.has(result)) {
      report(at, element, "it stands twice; each element is allowed once");
      sound = false;
    } else seen.add(result);
  }
  return sound ? [...seen].toSorted(compareBytewise) : undefined;
}
