import type { SentRequest } from "../wire/admin-tap.ts";
import type { World } from "../world.ts";
import type { Check } from "./check.ts";

/** `POST /pause`: no writes at all. */
export class PauseCheck implements Check {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  sent(request: SentRequest): void {
    const { method, collection, id = "" } = request;
    if (method !== "GET" && this.#world.processOf(request).isPaused)
      this.#world.violate("pause", `${method} ${collection}/${id}, though an operator has paused all writes`);
  }
}
