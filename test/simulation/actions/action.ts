import type { SeededRandom } from "../seeded-random.ts";
import type { World } from "../world.ts";

/**
 * Something that happens to the world. Everything that it chooses comes from `random`, which is its own: leaving another
 * action out does not change what this one does more than it must. Returns what it did; undefined: there was nothing to
 * do it to.
 */
export type Action = (world: World, random: SeededRandom) => string | undefined;

export interface ActionRow {
  /** How often it is drawn, compared with others. */
  readonly weight: number;
  readonly run: Action;
}
