import { refused, type Rule } from "./shape.ts";

const day = 24 * 60 * 60 * 1000;
const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const sizeUnits: Readonly<Record<string, number>> = { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** `50ms`, `5s`, `10m`, `1h`, and `0` where zero is allowed, as whole milliseconds. A timer holds no more than 24 days. */
export function duration(least: number, most: number = day): Rule<number> {
  const examples = [50, 5000, 600_000].filter((each) => each >= least && each <= most).map(written);
  const last = examples.pop() ?? written(least);
  const as = examples.length === 0 ? last : `${examples.join(", ")} or ${last}`;
  return {
    allowed: `a duration from ${written(least)} to ${written(most)}, as ${as}`,
    parse(value) {
      if (value === 0 || value === "0") return least === 0 ? 0 : refused;
      const [, digits, unit] =
        typeof value === "string" ? (/^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(value) ?? []) : [];
      const factor = durationUnits[unit ?? ""];
      if (digits === undefined || factor === undefined) return refused;
      return within(Math.round(Number(digits) * factor * 1000) / 1000, least, most, true);
    },
  };
}

function written(milliseconds: number): string {
  for (const unit of ["h", "m", "s"]) {
    const factor = durationUnits[unit] ?? 1;
    if (milliseconds >= factor && milliseconds % factor === 0) return `${milliseconds / factor}${unit}`;
  }
  return milliseconds === 0 ? "0" : `${milliseconds}ms`;
}

/** `512MiB`, `1GiB`, or a bare number of bytes. */
export function size(least: number, most: number, range: string): Rule<number> {
  return {
    allowed: `a size from ${range}, as 512MiB or 1GiB`,
    parse(value) {
      const [, digits, unit] =
        /^(\d{1,15})(|KiB|MiB|GiB)$/.exec(typeof value === "number" ? String(value) : asText(value)) ?? [];
      const factor = sizeUnits[unit ?? ""];
      return digits === undefined || factor === undefined
        ? refused
        : within(Number(digits) * factor, least, most, true);
    },
  };
}

export function integer(least: number, most: number): Rule<number> {
  return {
    allowed: `a whole number from ${least} to ${most}`,
    parse: (value, text) => within(numeric(value, text, /^\d{1,15}$/), least, most, true),
  };
}

export function number(least: number, most: number): Rule<number> {
  return {
    allowed: `a number from ${least} to ${most}`,
    parse: (value, text) => within(numeric(value, text, /^\d{1,15}(\.\d{1,15})?$/), least, most, false),
  };
}

function numeric(value: unknown, text: boolean, pattern: RegExp): number {
  if (typeof value === "number") return value;
  return text && typeof value === "string" && pattern.test(value) ? Number(value) : Number.NaN;
}

function within(value: number, least: number, most: number, whole: boolean): number | typeof refused {
  const fits = value >= least && value <= most && (!whole || Number.isSafeInteger(value));
  return fits ? value : refused;
}

export const boolean: Rule<boolean> = {
  allowed: "true or false",
  parse(value, text) {
    if (typeof value === "boolean") return value;
    if (!text || (value !== "true" && value !== "false")) return refused;
    return value === "true";
  },
};

export function choice<const T extends string>(...options: readonly T[]): Rule<T> {
  return {
    allowed: options.join(" or "),
    parse: (value) => options.find((option) => option === value) ?? refused,
  };
}

export function either<A, B>(first: Rule<A>, second: Rule<B>): Rule<A | B> {
  return {
    allowed: `${first.allowed} or ${second.allowed}`,
    parse(value, text) {
      const parsed = first.parse(value, text);
      return parsed === refused ? second.parse(value, text) : parsed;
    },
  };
}

/** A string that `pattern` matches whole. */
export function text(allowed: string, pattern: RegExp, longest = 253): Rule<string> {
  return {
    allowed,
    parse: (value) =>
      typeof value === "string" && value.length <= longest && pattern.test(value) ? value : refused,
  };
}

const asText = (value: unknown): string => (typeof value === "string" ? value : "");
