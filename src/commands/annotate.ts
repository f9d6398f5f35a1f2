import { writeFileSync } from "node:fs";
import { fileFault } from "../config/file.ts";
import { TranslatorError } from "../errors.ts";
import { annotateManifest } from "../manifests/annotate-manifest.ts";
import { printable } from "../observe/printable.ts";
import { entryFromFlags, fieldOptions } from "./annotate-flags.ts";
import { onePositional, usage } from "./arguments.ts";
import type { Command } from "./command.ts";
import { readInput, readStandardInput } from "./lint-input.ts";
import type { ReadStandardInput } from "./lint-input.ts";

/** Replaces a file's content. @throws Error what the file system says */
type WriteFile = (path: string, text: string) => void;

/** Writes label and annotation into a manifest, from flags. */
export const annotate: Command = annotateCommand(readStandardInput, (path, text) =>
  writeFileSync(path, text),
);

/** `annotate` with the standard input and the file system that it is given. */
export function annotateCommand(readStandard: ReadStandardInput, writeFile: WriteFile): Command {
  return {
    name: "annotate",
    summary: "write a declaration into a manifest",
    usage:
      "FILE --name NAME --port PORT [--host HOST] [--uri URI] … [--object KIND/NAME] [--in-place]\n\nFILE: YAML or JSON; - is standard input. Prints the manifest, with nothing else in it changed. A workload's Pod template is annotated.",
    options: {
      ...fieldOptions,
      object: { value: "KIND/NAME", help: "which object, where several could carry it" },
      "in-place": { help: "write the file, print nothing" },
    },
    takesConfig: false,

    async run(args, io) {
      const file = onePositional(args, "FILE");
      const inPlace = args.options.get("in-place") === "true";
      if (inPlace && file === "-") throw usage("standard input cannot be written in place");
      const flags = entryFromFlags(args);
      if (!flags.ok) throw refusal("the flags cannot be read", flags.reasons);

      const input = await readInput(file, io.readFile, readStandard);
      const label = printable(file);
      if (!input.ok) throw usage(`${label} cannot be read: ${input.reason}`);
      const result = annotateManifest(input.text, flags.entry, args.options.get("object"));
      if (!result.ok) throw refusal(`${label} is left as it is`, result.reasons);

      if (inPlace) write(writeFile, file, result.text);
      else io.stdout.write(result.text);
      const done =
        input.text === result.text
          ? "has it already"
          : inPlace
            ? "is annotated"
            : `is annotated in what is printed${file === "-" ? "" : "; the file is as it was (--in-place writes it)"}`;
      const others = result.others.length === 0 ? "" : `; --object would choose ${result.others.join(", ")}`;
      io.stderr.write(`${label}: ${printable(`${result.title} ${done}${others}`)}\n`);
      return 0;
    },
  };
}

function write(writeFile: WriteFile, file: string, text: string): void {
  try {
    writeFile(file, text);
  } catch (error) {
    throw usage(`${printable(file)} cannot be written: ${fileFault(error)}`);
  }
}

const refusal = (what: string, reasons: readonly string[]): TranslatorError =>
  new TranslatorError("USAGE", `${what}: ${reasons.length} problem${reasons.length === 1 ? "" : "s"}`, {
    problems: reasons,
  });
