import type { ReplayedExchange } from "../contract/replay-exchanges.ts";

/** Lines of one exchange, and characters of one value, at most. */
const mostLines = 5;
const mostCharacters = 120;

/** How an APISIX differs from the recorded one: for people. */
export function reportText(replayed: readonly ReplayedExchange[]): string {
  const differing = replayed.filter(({ differences }) => differences.length > 0);
  const skipped = replayed.filter(({ answer }) => answer === undefined).length;
  const lines = differing.flatMap(({ exchange: { file, name }, differences }) => [
    `  ${file}: ${name}`,
    ...differences
      .slice(0, mostLines)
      .map(({ path, expected, actual }) => `    ${path}: recorded ${shown(expected)}, here ${shown(actual)}`),
    ...(differences.length > mostLines ? [`    and ${differences.length - mostLines} more`] : []),
  ]);
  const sent = replayed.length - skipped;
  const how =
    differing.length === 0
      ? "all answered as recorded"
      : `${differing.length} answered otherwise than recorded:`;
  return [
    `The contract of APISIX 3.18 here: ${sent} exchanges (${skipped} skipped, for they could touch what others have): ${how}`,
    ...lines,
  ].join("\n");
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}
