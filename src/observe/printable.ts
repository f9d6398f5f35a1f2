/** Text from outside, as it may be shown: what acts on a terminal is replaced. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\u{fffd}");
}
