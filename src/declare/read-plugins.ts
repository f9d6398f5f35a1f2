import { compareBytewise } from "./byte-order.ts";
import { gatewayNumber } from "./gateway-number.ts";
import { innerField, isObject, makeReader } from "./read-value.ts";
import type { Reader, Report } from "./read-value.ts";

const schema = {
  type: "object",
  propertyNames: { not: { const: "__proto__" } },
  additionalProperties: { type: "object" },
} as const;

/**
 * Plugin name → configuration, with the fields of every object sorted: their order means nothing. Which names are
 * allowed is policy; what a configuration means is APISIX's affair.
 */
export const readPlugins: Reader<Readonly<Record<string, unknown>>> = makeReader(
  schema,
  (value, field, report) => {
    if (!isObject(value)) return report(field, value, "allowed is an object of plugin names");
    for (const [name, config] of Object.entries(value)) {
      if (isObject(config)) continue;
      report(innerField(field, name), config, "the configuration of a plugin is an object");
    }
    return readObject(value, field, report);
  },
);

/**
 * Reports what would be changed silently on its way to APISIX: numbers that are not finite (JSON has none, though
 * `1e999` reads as one) or have more digits than APISIX keeps, `__proto__` (lost in a copy), and what is not JSON at
 * all. Fractions are rounded as APISIX would. The caller bounds the depth.
 */
function readJson(value: unknown, field: string, report: Report): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return readNumber(value, field, report);
  if (Array.isArray(value)) {
    return Array.from(value, (inner, index) => readJson(inner, `${field}[${index}]`, report));
  }
  return isObject(value)
    ? readObject(value, field, report)
    : report(field, value, "allowed is what JSON can hold");
}

function readNumber(value: number, field: string, report: Report): number | undefined {
  if (!Number.isFinite(value)) return report(field, value, "a number must be finite");
  const kept = gatewayNumber(value);
  if (kept === undefined) return report(field, value, outOfRange);
  // Adding 0 turns -0 into 0, as JSON.stringify does.
  return kept + 0;
}

const outOfRange =
  "it is out of range, for APISIX keeps 14 significant digits of a number; allowed are whole numbers that need no more";

function readObject(
  value: Readonly<Record<string, unknown>>,
  field: string,
  report: Report,
): Readonly<Record<string, unknown>> {
  const sorted = Object.entries(value).toSorted(([a], [b]) => compareBytewise(a, b));
  const read = sorted.map(([key, inner]) => {
    const at = innerField(field, key);
    if (key === "__proto__") report(at, inner, "this field name is not allowed");
    return [key, readJson(inner, at, report)] as const;
  });
  return Object.fromEntries(read);
}
