const limit = 10_000;

/** One copy of each text of which there are many; beyond a limit it begins anew. */
export class Names {
  readonly #texts = new Map<string, string>();

  of(text: string): string {
    const held = this.#texts.get(text);
    if (held !== undefined) return held;
    if (this.#texts.size === limit) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}
