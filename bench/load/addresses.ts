/** Every address has the same length, so that one can stand in another's place: a million of them, `10.100.100.100` and on. */
export function addressText(number: number): string {
  const part = (at: number): number => 100 + (Math.floor(number / at) % 100);
  return `10.${part(10_000)}.${part(100)}.${part(1)}`;
}

/** What `addressText` made the text of. */
export function addressNumber(text: string): number {
  const [, a = 0, b = 0, c = 0] = text.split(".").map(Number);
  return (a - 100) * 10_000 + (b - 100) * 100 + (c - 100);
}
