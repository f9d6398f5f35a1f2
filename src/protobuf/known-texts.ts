/** Reads texts of which a few are expected without making a string of each anew. */
export class KnownTexts {
  readonly #known: readonly { readonly text: string; readonly bytes: Uint8Array }[];

  constructor(texts: readonly string[]) {
    this.#known = texts.map((text) => ({ text, bytes: Buffer.from(text) }));
  }

  at(bytes: Buffer, from: number, to: number): string {
    for (const { text, bytes: known } of this.#known) {
      if (known.length === to - from && isAt(bytes, from, known)) return text;
    }
    return bytes.toString("utf8", from, to);
  }
}

export function isAt(bytes: Uint8Array, at: number, sought: Uint8Array): boolean {
  for (let index = sought.length - 1; index >= 0; index--) {
    if (bytes[at + index] !== sought[index]) return false;
  }
  return true;
}
