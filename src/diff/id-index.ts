/** Ids under keys. Most keys have one id, and are many: a Set is made where there are more. */
export class IdIndex {
  readonly #ids = new Map<string, string | Set<string>>();

  add(key: string, id: string): void {
    const held = this.#ids.get(key);
    if (held === undefined) this.#ids.set(key, id);
    else if (typeof held !== "string") held.add(id);
    else if (held !== id) this.#ids.set(key, new Set([held, id]));
  }

  remove(key: string, id: string): void {
    const held = this.#ids.get(key);
    if (held === undefined) return;
    if (typeof held !== "string") held.delete(id);
    if (held === id || (typeof held !== "string" && held.size === 0)) this.#ids.delete(key);
  }

  /** In the order in which they came. */
  at(key: string): Iterable<string> {
    const held = this.#ids.get(key);
    if (held === undefined) return [];
    return typeof held === "string" ? [held] : held;
  }
}
