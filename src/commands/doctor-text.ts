import type { Check } from "../doctor/check.ts";
import { printable } from "../observe/printable.ts";

/** Width of the column of checks: the longest is `rights: endpointslices`. */
const width = 23;

/** What people read: each target with its checks, and how many are wrong. `note`: all is well, and something is to be done or known. */
export function doctorText(checks: readonly Check[], colour: boolean): string {
  const paint = (code: number, text: string): string => (colour ? `\u001b[${code}m${text}\u001b[39m` : text);
  const lines: string[] = [];
  let target = "";
  for (const { ok, detail, remedy, ...about } of checks) {
    if (about.target !== target) lines.push(...(target === "" ? [] : [""]), printable(about.target));
    target = about.target;
    const word = !ok ? paint(31, "wrong") : remedy === undefined ? paint(32, "ok   ") : paint(33, "note ");
    lines.push(`  ${word}  ${about.check.padEnd(width)} ${printable(detail)}`);
    if (remedy !== undefined) lines.push(`         → ${printable(remedy)}`);
  }
  const bad = checks.filter(({ ok }) => !ok).length;
  return `${[...lines, "", bad === 0 ? "all is well" : `${bad} of ${checks.length} checks ${bad === 1 ? "is" : "are"} wrong`].join("\n")}\n`;
}
