import { isBooleanKey } from "../config/keys.ts";
import { nearest } from "../declare/nearest.ts";
import type { Flag } from "../config/overrides.ts";
import { shown } from "../config/problems.ts";
import { TranslatorError } from "../errors.ts";
import type { Arguments, Command } from "./command.ts";

/**
 * Splits what follows a command's name: `--name=value`, `--name value`, `--name` for booleans (which take a following
 * `true` or `false`), `--` before positionals that begin with a dash. Of a flag given twice the last counts.
 *
 * @throws TranslatorError `USAGE`
 */
export function parseArguments(command: Command, argv: readonly string[]): Arguments {
  const positionals: string[] = [];
  const all = new Map<string, readonly string[]>();
  const flags: Flag[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") {
      positionals.push(...argv.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      positionals.push(word);
      continue;
    }
    if (!word.startsWith("--")) throw usage(`unknown flag ${shown(word)}`);
    const { name, value, took } = readFlag(word, argv[at + 1], isBoolean(command, word));
    at += took;
    if (!Object.hasOwn(command.options, name)) {
      if (!command.takesConfig) throw unknownFlag(command, name);
      flags.push({ name, value });
    } else all.set(name, [...(all.get(name) ?? []), optionValue(command, name, value)]);
  }
  const options = new Map([...all].map(([name, values]) => [name, values.at(-1) ?? ""]));
  return { positionals, options, all, flags };
}

function readFlag(word: string, next: string | undefined, boolean: boolean): Flag & { took: 0 | 1 } {
  const equals = word.indexOf("=");
  if (equals > 0) return { name: word.slice(2, equals), value: word.slice(equals + 1), took: 0 };
  const name = word.slice(2);
  const takes = boolean ? next === "true" || next === "false" : next !== undefined && !next.startsWith("--");
  return takes ? { name, value: next, took: 1 } : { name, value: boolean ? "true" : undefined, took: 0 };
}

function isBoolean(command: Command, word: string): boolean {
  const name = word.slice(2);
  if (!Object.hasOwn(command.options, name)) return command.takesConfig && isBooleanKey(name);
  return command.options[name]?.value === undefined;
}

function optionValue(command: Command, name: string, value: string | undefined): string {
  const placeholder = command.options[name]?.value;
  if (placeholder === undefined && value !== "true" && value !== "false")
    throw usage(`--${name} got ${shown(value)}; allowed: true or false`);
  if (value === undefined || value === "") throw usage(`--${name} needs a value: ${placeholder ?? ""}`);
  return value;
}

function unknownFlag(command: Command, name: string): TranslatorError {
  const near = nearest(name, [...Object.keys(command.options), "help"]);
  return usage(`unknown flag --${name}${near === undefined ? "" : `; did you mean --${near}?`}`);
}

/** The command line cannot be understood: exit 2. */
export const usage = (sentence: string): TranslatorError => new TranslatorError("USAGE", sentence);

/** The value of an option that is one of a few words; absent: the first of them. @throws TranslatorError `USAGE` */
export function oneOf<const T extends string>(args: Arguments, name: string, words: readonly [T, ...T[]]): T {
  const value = args.options.get(name) ?? words[0];
  const found = words.find((word) => word === value);
  if (found === undefined) throw usage(`--${name} got ${shown(value)}; allowed: ${words.join(" or ")}`);
  return found;
}

/** For a command that takes just one, called `what`. @throws TranslatorError `USAGE` */
export function onePositional({ positionals }: Arguments, what: string): string {
  const [only, another] = positionals;
  if (only === undefined) throw usage(`${what} is missing`);
  if (another !== undefined) throw usage(`unexpected argument ${shown(another)}: one ${what} at a time`);
  return only;
}

/** For a command that takes none. @throws TranslatorError `USAGE` */
export function refusePositionals({ positionals }: Arguments): void {
  if (positionals[0] !== undefined) throw usage(`unexpected argument ${shown(positionals[0])}`);
}
