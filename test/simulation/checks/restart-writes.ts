import type { World } from "../world.ts";
import { leftOpenIn } from "./quiet-check.ts";

/**
 * What a translator that remembers nothing writes once all is at rest: nothing. Excused is what only memory can know, as to
 * which of several groups a Pod belonged that cannot be read, and what follows from it: who takes a pair that it gave up,
 * or gives one up to it.
 */
export class RestartWrites {
  readonly #world: World;
  readonly #since: number;
  readonly #open: ReadonlySet<string>;
  /** Id → pairs on which its route stood before the restart, and stands after it. */
  readonly #pairs = new Map<string, Set<string>>();

  /** Before the restart. */
  constructor(world: World) {
    this.#world = world;
    this.#since = world.writes.length;
    this.#open = leftOpenIn(world);
    this.#notePairs();
  }

  /** After it: ids of what was written without an excuse. */
  strange(): string[] {
    this.#notePairs();
    const written = this.#world.writes.slice(this.#since);
    const excused = new Set(written.filter((id) => this.#open.has(id)));
    const given = new Set<string>();
    // A set that grows is gone through to its end.
    for (const id of excused) {
      for (const pair of this.#pairs.get(id) ?? []) given.add(pair);
      for (const [other, pairs] of this.#pairs) if (!pairs.isDisjointFrom(given)) excused.add(other);
    }
    return written.filter((id) => !excused.has(id));
  }

  #notePairs(): void {
    const { gateway } = this.#world;
    for (const entry of gateway.owned("routes"))
      this.#pairs.set(entry.id, new Set([...(this.#pairs.get(entry.id) ?? []), ...gateway.pairsOf(entry)]));
  }
}
