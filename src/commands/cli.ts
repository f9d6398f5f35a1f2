import { scalarKeys } from "../config/keys.ts";
import { nearest } from "../declare/nearest.ts";
import { shown } from "../config/problems.ts";
import { TranslatorError } from "../errors.ts";
import { annotate } from "./annotate.ts";
import { parseArguments, usage } from "./arguments.ts";
import { cluster } from "./cluster.ts";
import type { Command, Io, Sink } from "./command.ts";
import { demo } from "./demo.ts";
import { doctor } from "./doctor.ts";
import { explain } from "./explain.ts";
import { lint } from "./lint.ts";
import { plan } from "./plan.ts";
import { purge } from "./purge.ts";
import { run } from "./run.ts";

const program = "apisix-translator";

const commands: readonly Command[] = [run, demo, plan, explain, doctor, lint, annotate, cluster, purge];

/**
 * Runs the command that `argv` (without node and script) asks for.
 *
 * @returns the exit code: the command's own; 2 for a command line or configuration that cannot be used. Throws nothing: an
 * unforeseen fault is one line and the command's fault code.
 */
export async function runCommand(argv: readonly string[], version: string, io: Io): Promise<number> {
  const [name = "", ...rest] = argv;
  if (name === "--version") return print(io.stdout, `${version}\n`);
  if (name === "--help" || name === "-h" || name === "help") return print(io.stdout, generalHelp());
  const command = commands.find((each) => each.name === name);
  try {
    if (command === undefined) throw usage(unknownCommand(name));
    if (asksForHelp(rest)) return print(io.stdout, commandHelp(command));
    return await command.run(parseArguments(command, rest), io);
  } catch (error) {
    return reportFault(error, command, io.stderr);
  }
}

/** The exit code of a fault in the command that `argv` asks for. */
export const faultCode = (argv: readonly string[]): number =>
  commands.find((each) => each.name === argv[0])?.faultCode ?? 1;

/** Writes what went wrong, on as few lines as there are things wrong. @returns the exit code */
export function reportFault(error: unknown, command: Command | undefined, stderr: Sink): number {
  const message = error instanceof Error && error.message !== "" ? error.message : String(error);
  const lines = [
    `${red(`${[program, command?.name].filter(Boolean).join(" ")}:`, stderr)} ${oneLine(message)}`,
  ];
  const code = error instanceof TranslatorError ? error.code : undefined;
  if (error instanceof TranslatorError)
    lines.push(...error.problems.map((problem) => `  ${oneLine(problem)}`));
  if (code === "USAGE") lines.push(`See "${[program, command?.name].filter(Boolean).join(" ")} --help".`);
  stderr.write(`${lines.join("\n")}\n`);
  return code === "USAGE" || code === "CONFIG_INVALID" ? 2 : (command?.faultCode ?? 1);
}

function unknownCommand(name: string): string {
  if (name === "") return "a command is missing";
  const near = nearest(
    name,
    commands.map((each) => each.name),
  );
  return `unknown command ${shown(name)}${near === undefined ? "" : `; did you mean ${near}?`}`;
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? undefined : end).some((word) => word === "--help" || word === "-h");
}

function generalHelp(): string {
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}\n`);
  return `${program}: routes in one APISIX for the Pods and Services of many Kubernetes clusters

Usage: ${program} COMMAND [FLAGS]

${rows.join("")}
"${program} COMMAND --help" says more; "--version" prints the version.
`;
}

function commandHelp(command: Command): string {
  const own = Object.entries(command.options).map(([name, { value, help }]) => row(name, value, help));
  const config = command.takesConfig
    ? [
        row("config", "FILE", "the configuration, a YAML file"),
        ...(command.listsConfig === false ? [row("KEY", "VALUE", configLine)] : configRows(command)),
      ]
    : [];
  const flags = own.length + config.length === 0 ? "" : `\nFlags:\n${[...own, ...config].join("")}`;
  return `${command.summary}\n\nUsage: ${program} ${command.name} ${command.usage}\n${flags}`;
}

const configLine = "every configuration key, see docs/configuration.md";

function configRows({ configSections: sections }: Command): readonly string[] {
  const keys = scalarKeys().filter(
    ({ path }) => sections === undefined || sections.includes(path.split(".")[0] ?? ""),
  );
  const others = sections === undefined ? "" : "; the others are taken too, and not used";
  return [
    `\nConfiguration keys${others}. Also as variables (TRANSLATOR_GATEWAY_TIMEOUT); lists stand only in the\nfile; meanings and defaults in docs/configuration.md:\n`,
    ...keys.map(({ path, allowed }) => row(path, "VALUE", allowed)),
  ];
}

const row = (name: string, value: string | undefined, help: string): string =>
  `  ${`--${name}${value === undefined ? "" : ` ${value}`}`.padEnd(34)} ${help}\n`;

function print(sink: Sink, text: string): number {
  sink.write(text);
  return 0;
}

const red = (text: string, { colour }: Sink): string => (colour ? `\u001b[31m${text}\u001b[39m` : text);

/** A message may quote what came from outside. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
