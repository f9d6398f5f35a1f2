import type { ToShard } from "./protocol.ts";

/**
 * What is known of an id, said while a seed waits for its turn: the seed is older, and must not be told after it.
 */
export class Overtaken {
  readonly #ids = new Set<string>();
  #queued = 0;

  /** Such a message waits for its turn. */
  queued(message: ToShard | undefined): void {
    if (message?.type === "known") this.#queued++;
  }

  /** Something newer of this id is told, or that it is forgotten. */
  told(id: string): void {
    if (this.#queued > 0) this.#ids.add(id);
  }

  /** The message's turn has come: what of it is still the newest. */
  left(message: ToShard): ToShard {
    if (message.type !== "known") return message;
    const entries = message.entries.filter(({ id }) => !this.#ids.has(id));
    if (--this.#queued === 0) this.#ids.clear();
    return { ...message, entries };
  }
}
