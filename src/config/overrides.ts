import { nearest } from "../declare/nearest.ts";
import { hidden, shown, soundsSecret, type Problems } from "./problems.ts";
import { childPath, type Override, type Section, type Shape } from "./shape.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** One flag, without its dashes; `value` is `undefined` where the command line gave none. */
export interface Flag {
  readonly name: string;
  readonly value: string | undefined;
}

export interface Overrides {
  readonly values: ReadonlyMap<string, Override>;
  /** The configuration file that was asked for. */
  readonly file: string | undefined;
}

const prefix = "TRANSLATOR_";
const fileFlag = "config";
const fileVariable = `${prefix}CONFIG`;

/** `throttle.maxDelay` → `TRANSLATOR_THROTTLE_MAX_DELAY`. */
export function variableName(path: string): string {
  return prefix + path.replaceAll(".", "_").replaceAll(/[A-Z]/g, "_$&").toUpperCase();
}

/** What flags and environment say, flags before environment; whatever names no scalar is a problem. */
export function readOverrides(
  from: {
    readonly flags: readonly Flag[];
    readonly env: Environment;
    readonly otherFlags?: readonly string[];
  },
  schema: Section<unknown>,
  problems: Problems,
): Overrides {
  const known = paths(schema);
  const values = new Map<string, Override>();
  readEnvironment(from.env, known, values, problems);
  let file = from.env[fileVariable];
  for (const { name, value } of from.flags) {
    const origin = `--${name}`;
    const shape = known.get(name);
    if (name === fileFlag || shape?.kind === "scalar") {
      const text = value ?? (shape?.kind === "scalar" && shape.isBoolean ? "true" : undefined);
      if (text === undefined) problems.add(name, "needs a value", origin);
      else if (name === fileFlag) file = text;
      else values.set(name, { text, origin });
    } else problems.add(name, flagComplaint(name, value, known, from.otherFlags ?? []), origin);
  }
  return { values, file };
}

function readEnvironment(
  env: Environment,
  known: ReadonlyMap<string, Shape<unknown>>,
  values: Map<string, Override>,
  problems: Problems,
): void {
  const byVariable = new Map([...known].map(([path, shape]) => [variableName(path), { path, shape }]));
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(prefix) || text === undefined || name === fileVariable || isServiceLink(name))
      continue;
    const meant = byVariable.get(name);
    if (meant?.shape.kind === "scalar") values.set(meant.path, { text, origin: name });
    else if (meant !== undefined) problems.add(name, `${inFileOnly(meant.shape)} (key ${meant.path})`);
    else {
      const near = nearestVariable(
        name,
        [...byVariable.values()].flatMap(({ path, shape }) => (shape.kind === "scalar" ? [path] : [])),
      );
      problems.add(name, `unknown variable (got ${got(name.slice(prefix.length), text)})${didYouMean(near)}`);
    }
  }
}

/** The prefix is left out of the comparison: it would make everything look alike. */
function nearestVariable(name: string, paths: readonly string[]): string | undefined {
  const near = nearest(
    name.slice(prefix.length),
    paths.map((path) => variableName(path).slice(prefix.length)),
  );
  return near === undefined ? undefined : prefix + near;
}

/**
 * Kubernetes gives every container variables for every Service of its namespace: one that is called `translator` must not
 * keep us from starting.
 */
const isServiceLink = (name: string): boolean =>
  /^TRANSLATOR_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/.test(
    name,
  );

function flagComplaint(
  name: string,
  value: string | undefined,
  known: ReadonlyMap<string, Shape<unknown>>,
  otherFlags: readonly string[],
): string {
  const inside = [...known].find(
    ([path, shape]) => shape.kind === "list" && new RegExp(`^${path}[.[]`).test(`${name}.`),
  );
  const shape = known.get(name) ?? inside?.[1];
  if (shape !== undefined) return inFileOnly(shape);
  const scalars = [...known].filter(([, { kind }]) => kind === "scalar").map(([path]) => path);
  const sameKey = scalars.find((path) => path.endsWith(`.${name}`));
  const near = sameKey ?? nearest(name, [...scalars, ...otherFlags, fileFlag]);
  const given = value === undefined ? "" : ` (got ${got(name, value)})`;
  return `unknown flag${given}${didYouMean(near === undefined ? undefined : `--${near}`)}`;
}

function inFileOnly(shape: Shape<unknown>): string {
  if (shape.kind === "list") return "is a list; allowed: lists stand only in the configuration file";
  const keys = shape.kind === "section" ? [...shape.fields.keys()].join(", ") : "";
  return `is a section; allowed: its keys one by one: ${keys}`;
}

const got = (name: string, value: string): string => (soundsSecret(name) ? hidden : shown(value));

const didYouMean = (near: string | undefined): string =>
  near === undefined ? "" : `; did you mean ${near}?`;

/** Every key outside lists, with its path. */
export function paths(root: Section<unknown>, at = ""): ReadonlyMap<string, Shape<unknown>> {
  const found = new Map<string, Shape<unknown>>();
  for (const [key, shape] of root.fields) {
    const path = childPath(at, key);
    found.set(path, shape);
    if (shape.kind === "section") for (const [inner, below] of paths(shape, path)) found.set(inner, below);
  }
  return found;
}
