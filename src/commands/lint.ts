import { oneOf, usage } from "./arguments.ts";
import type { Command } from "./command.ts";
import { counted } from "./counted.ts";
import { lintFile } from "./lint-file.ts";
import type { LintedFile } from "./lint-file.ts";
import { readInput, readStandardInput } from "./lint-input.ts";
import type { ReadStandardInput } from "./lint-input.ts";
import { lintOutputs, noticeLine } from "./lint-output.ts";
import { printable } from "../observe/printable.ts";

/** Checks the declarations in manifests as the translator will read them; needs no cluster. */
export const lint: Command = lintCommand(readStandardInput);

/** `lint` with the standard input that it is given. */
export function lintCommand(readStandard: ReadStandardInput): Command {
  return {
    name: "lint",
    summary: "check the declarations in manifests, without a cluster",
    usage:
      "FILE… [--output text|json|github]\n\nFILE: YAML or JSON, with any number of objects; - is standard input\n\nExit: 0 no problem; 1 problems, also a file that is neither YAML nor JSON; 2 bad usage, also a file that cannot be read",
    options: {
      output: { value: "text|json|github", help: "lines, one JSON document, or GitHub annotations (text)" },
    },
    takesConfig: false,

    async run(args, io) {
      if (args.positionals.length === 0) throw usage("FILE is missing; - is standard input");
      if (args.positionals.filter((file) => file === "-").length > 1) throw usage("- is given twice");
      const output = oneOf(args, "output", ["text", "json", "github"]);
      const linted: LintedFile[] = [];
      for (const file of args.positionals) {
        const input = await readInput(file, io.readFile, readStandard);
        if (input.ok) linted.push(lintFile(file, input.text));
        else io.stderr.write(`${printable(file)}: cannot be read: ${input.reason}\n`);
      }
      const problems = linted.flatMap((file) => file.problems);
      io.stdout.write(lintOutputs[output](problems));
      if (output === "text")
        for (const notice of linted.flatMap((file) => file.notices)) io.stderr.write(noticeLine(notice));
      io.stderr.write(`${summary(linted, problems.length)}\n`);
      if (linted.length < args.positionals.length) return 2;
      return problems.length > 0 ? 1 : 0;
    },
  };
}

const unjudged = "; which hosts and plugins policy allows is not judged here";

/** Without the configuration nobody knows whether they are valid. */
function hostless(count: number): string {
  if (count === 0) return "";
  return count === 1
    ? " (1 has no host: it needs defaults.host)"
    : ` (${count} have no host: they need defaults.host)`;
}

/** Says how much was looked at: no problem in no declaration is no good news. */
function summary(linted: readonly LintedFile[], problems: number): string {
  const total = (of: "objects" | "declarations" | "hostless"): number =>
    linted.reduce((sum, file) => sum + file[of], 0);
  return [
    counted(linted.length, "file"),
    counted(total("objects"), "object"),
    `${counted(total("declarations"), "declaration")}${hostless(total("hostless"))}`,
    problems === 0 ? `no problem${unjudged}` : counted(problems, "problem"),
  ].join(", ");
}
