import { nearest } from "../declare/nearest.ts";
import { hidden, Problems, shown, soundsSecret } from "./problems.ts";

/** Said of a key that the file does not have. */
const absent: unique symbol = Symbol("absent");

/** What a parser answers to a value that is not allowed. */
export const refused: unique symbol = Symbol("refused");

/** A scalar from outside the file: always text. */
export interface Override {
  readonly text: string;
  /** As it was written: `--throttle.quiet`, `TRANSLATOR_THROTTLE_QUIET`. */
  readonly origin: string;
}

interface Reading {
  /** The key's path, as `clusters[0].name`; `""` for the root. */
  readonly path: string;
  readonly overrides: ReadonlyMap<string, Override>;
  readonly problems: Problems;
}

/**
 * One place in the configuration. `read` always answers a value of the right type, a stand-in where it has reported a
 * problem, so that the rest can still be judged.
 */
export type Shape<T> = Scalar<T> | List<T> | Section<T>;

interface Readable<T> {
  read(given: unknown, reading: Reading): T;
}

export interface Rule<T> {
  /** What is allowed, for people. */
  readonly allowed: string;
  /** `text`: the value comes from a flag or a variable, and is a string whatever is meant. */
  parse(value: unknown, text: boolean): T | typeof refused;
  /** Whether this refused value must not be printed. */
  conceals?(value: unknown): boolean;
  /** Why this value was refused and what is allowed, where more can be said than `allowed`. */
  reason?(value: unknown): string | undefined;
}

export interface Scalar<T> extends Readable<T> {
  readonly kind: "scalar";
  readonly isBoolean: boolean;
  readonly allowed: string;
}

export interface List<T> extends Readable<T> {
  readonly kind: "list";
}

export interface Section<T> extends Readable<T> {
  readonly kind: "section";
  readonly fields: ReadonlyMap<string, Shape<unknown>>;
}

/** A scalar that may be left out. */
export function scalar<T, D extends T | undefined>(rule: Rule<T>, fallback: D): Scalar<T | D> {
  return {
    kind: "scalar",
    isBoolean: typeof fallback === "boolean",
    allowed: rule.allowed,
    read: (given, at) => readScalar(rule, fallback, given, at),
  };
}

/** A scalar that must be there. `standIn` is never seen by a caller of `loadConfig`. */
export function required<T>(rule: Rule<T>, standIn: T): Scalar<T> {
  return {
    kind: "scalar",
    isBoolean: false,
    allowed: rule.allowed,
    read(given, reading) {
      if (given === absent && !reading.overrides.has(reading.path))
        reading.problems.missing(reading.path, rule.allowed);
      return readScalar(rule, standIn, given, reading);
    },
  };
}

function readScalar<T, D>(rule: Rule<T>, fallback: D, given: unknown, reading: Reading): T | D {
  const { path, problems } = reading;
  let value: T | D = fallback;
  if (given !== absent) {
    const parsed = rule.parse(given, false);
    if (parsed === refused) problems.add(path, refusal(rule, given));
    else value = parsed;
  }
  const override = reading.overrides.get(path);
  if (override === undefined) return value;
  const parsed = rule.parse(override.text, true);
  if (parsed !== refused) return parsed;
  problems.add(path, `${refusal(rule, override.text)} (given as ${override.origin})`);
  return value;
}

function refusal<T>(rule: Rule<T>, value: unknown): string {
  const got = rule.conceals?.(value) === true ? hidden : shown(value);
  return `got ${got}; ${rule.reason?.(value) ?? `allowed: ${rule.allowed}`}`;
}

/** A list, which only the file can give. `most` bounds it; `least` is 0 or 1. */
export function list<E>(
  item: Readable<E>,
  about: { allowed: string; least?: 0 | 1; most?: number },
): List<readonly E[]> {
  const { allowed, least = 0, most = 1000 } = about;
  return {
    kind: "list",
    read(given, reading) {
      const { path, problems } = reading;
      if (given === absent) {
        if (least > 0) problems.missing(path, allowed);
        return [];
      }
      if (!Array.isArray(given)) {
        problems.add(path, `got ${shown(given)}; allowed: ${allowed}`);
        return [];
      }
      const items: readonly unknown[] = given;
      if (items.length < least) problems.add(path, `got an empty list; allowed: ${allowed}`);
      if (items.length > most) {
        problems.add(path, `got ${items.length} entries; allowed: at most ${most}`);
        return [];
      }
      return items.map((entry, index) => item.read(entry, { ...reading, path: `${path}[${index}]` }));
    },
  };
}

/** A list whose absence means something else than its emptiness; empty is refused. */
export function listOrAbsent<E>(item: Readable<E>, allowed: string): List<readonly E[] | undefined> {
  const inner = list(item, { allowed, least: 1 });
  return {
    kind: "list",
    read: (given, reading) => (given === absent ? undefined : inner.read(given, reading)),
  };
}

/** A mapping with exactly these keys. */
export function section<T extends object>(fields: { readonly [K in keyof T]-?: Shape<T[K]> }): Section<T> {
  const known = new Map<string, Shape<unknown>>(Object.entries(fields));
  return {
    kind: "section",
    fields: known,
    read(given, reading) {
      const entries = mappingOf(given, reading);
      // What is no mapping has one fault, not one for each key that it lacks.
      const problems = entries === undefined ? new Problems() : reading.problems;
      if (entries !== undefined) reportUnknownKeys(entries, known, reading);
      const read: Record<string, unknown> = {};
      for (const [key, shape] of known) {
        const value = entries !== undefined && Object.hasOwn(entries, key) ? entries[key] : absent;
        read[key] = shape.read(value, { ...reading, problems, path: childPath(reading.path, key) });
      }
      // Every key of T was read by a shape of its own type: that is what the parameter's type says.
      return read as T;
    },
  };
}

/** A section that is `undefined` unless one of its keys is given somewhere. */
export function optionalSection<T extends object>(inner: Section<T>): Section<T | undefined> {
  return {
    kind: "section",
    fields: inner.fields,
    read(given, reading) {
      const overridden = [...reading.overrides.keys()].some((key) => key.startsWith(`${reading.path}.`));
      return given === absent && !overridden ? undefined : inner.read(given, reading);
    },
  };
}

export const childPath = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

function mappingOf(
  given: unknown,
  { path, problems }: Reading,
): Readonly<Record<string, unknown>> | undefined {
  if (given === absent) return {};
  if (isMapping(given)) return given;
  problems.add(path, `got ${shown(given)}; allowed: a mapping`);
  return undefined;
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function reportUnknownKeys(
  entries: Readonly<Record<string, unknown>>,
  known: ReadonlyMap<string, Shape<unknown>>,
  { path, problems }: Reading,
): void {
  for (const key of Object.keys(entries)) {
    if (known.has(key)) continue;
    const got = soundsSecret(key) ? hidden : shown(entries[key]);
    const near = nearest(key, [...known.keys()]) ?? onlySectionWith(key, known);
    const advice =
      near === undefined
        ? `allowed here: ${[...known.keys()].join(", ")}`
        : `did you mean ${childPath(path, near)}?`;
    const label = childPath(path, /^[\w.-]+$/.test(key) ? key : shown(key));
    problems.add(label, `unknown key (got ${got}); ${advice}`);
  }
}

/** The key one section deeper, for who forgot the section. */
function onlySectionWith(key: string, known: ReadonlyMap<string, Shape<unknown>>): string | undefined {
  const holders = [...known].filter(([, shape]) => shape.kind === "section" && shape.fields.has(key));
  const [holder] = holders;
  return holders.length === 1 && holder !== undefined ? childPath(holder[0], key) : undefined;
}
