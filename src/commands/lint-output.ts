import { printable } from "../observe/printable.ts";
import type { LintNotice, LintProblem } from "./lint-file.ts";

/** What goes to standard output for the problems found, in one of the forms of `--output`. */
export const lintOutputs: Readonly<
  Record<"text" | "json" | "github", (problems: readonly LintProblem[]) => string>
> = {
  text: (problems) => problems.map((problem) => `${where(problem)}: ${sentence(problem)}\n`).join(""),
  json: (problems) => `${JSON.stringify({ problems }, null, 2)}\n`,
  github: (problems) => problems.map(workflowCommand).join(""),
};

/** One line, for people. */
export const noticeLine = (notice: LintNotice): string => `${where(notice)}: notice: ${sentence(notice)}\n`;

const where = ({ file, line }: LintNotice): string =>
  `${printable(file)}${line === undefined ? "" : `:${line}`}`;

function sentence({
  kind,
  namespace,
  name,
  route,
  message,
}: LintNotice & Pick<LintProblem, "route">): string {
  const object = [kind, [namespace, name].filter(Boolean).join("/")].filter(Boolean).join(" ");
  const who = [object, route === undefined ? "" : `route ${route}`].filter(Boolean).join(", ");
  return printable(who === "" ? message : `${who}: ${message}`);
}

/** GitHub's workflow command, which puts the problem at its line in a pull request. */
function workflowCommand(problem: LintProblem): string {
  const properties = [
    `file=${escapedProperty(problem.file)}`,
    ...(problem.line === undefined ? [] : [`line=${problem.line}`]),
    "title=apisix-translator lint",
  ];
  return `::error ${properties.join(",")}::${escapedMessage(sentence(problem))}\n`;
}

/** GitHub reads these escapes back; a line end would end the command, and what follows could be another one. */
const escapedMessage = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const escapedProperty = (text: string): string =>
  escapedMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
