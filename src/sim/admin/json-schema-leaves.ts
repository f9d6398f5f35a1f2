/** The checks of `json-schema.ts` that look at one value and not into it. */
import { isIPv4, isIPv6 } from "node:net";
import type { Check, JsonSchema } from "./json-schema.ts";

/** Two equal items. */
export function duplicateProblem(items: readonly unknown[]): string | undefined {
  const seen = new Map<string, number>();
  for (const [at, item] of items.entries()) {
    const text = JSON.stringify(item);
    const earlier = seen.get(text);
    if (earlier !== undefined)
      return `expected unique items but items ${earlier + 1} and ${at + 1} are equal`;
    seen.set(text, at);
  }
  return undefined;
}

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

export function stringChecks(schema: JsonSchema): Check[] {
  const checks: Check[] = [];
  const { minLength, maxLength, pattern, format } = schema;
  const ofString = (check: (text: string) => string | undefined): Check => {
    return (value) => (typeof value === "string" ? check(value) : undefined);
  };
  if (minLength !== undefined) {
    checks.push(
      ofString((text) =>
        text.length < minLength
          ? `string too short, expected at least ${minLength}, got ${text.length}`
          : undefined,
      ),
    );
  }
  if (maxLength !== undefined) {
    checks.push(
      ofString((text) =>
        text.length > maxLength && characters(text) > maxLength
          ? `string too long, expected at most ${maxLength}, got ${characters(text)}`
          : undefined,
      ),
    );
  }
  if (pattern !== undefined) {
    const expression = new RegExp(pattern);
    checks.push(
      ofString((text) =>
        expression.test(text) ? undefined : `failed to match pattern "${pattern}" with "${text}"`,
      ),
    );
  }
  if (format !== undefined) {
    const passes = format === "ipv4" ? isIPv4 : isIPv6;
    checks.push(ofString((text) => (passes(text) ? undefined : `expected valid ${format} address`)));
  }
  return checks;
}

export function numberChecks(schema: JsonSchema): Check[] {
  const checks: Check[] = [];
  const { minimum, maximum, exclusiveMinimum } = schema;
  const ofNumber = (fails: (value: number) => boolean, rule: string) => {
    checks.push((value) =>
      typeof value === "number" && fails(value) ? `expected ${value} to be ${rule}` : undefined,
    );
  };
  if (minimum !== undefined) ofNumber((value) => value < minimum, `at least ${minimum}`);
  if (maximum !== undefined) ofNumber((value) => value > maximum, `at most ${maximum}`);
  if (exclusiveMinimum !== undefined) {
    ofNumber((value) => value <= exclusiveMinimum, `greater than ${exclusiveMinimum}`);
  }
  return checks;
}
