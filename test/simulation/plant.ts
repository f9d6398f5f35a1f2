import type { Fence } from "../../src/lead/fenced-transport.ts";
import type { Controller, ControllerParts } from "../../src/controller.ts";

/** A bug, planted into the translator from outside: it must be found. */
export interface Plant {
  readonly name: string;
  /** Changes the world that the controller is handed. */
  readonly parts?: (parts: ControllerParts) => ControllerParts;
  /** Changes the controller before it starts. */
  readonly controller?: (controller: Controller) => void;
  /** Changes what stands between a leader's writes and APISIX. */
  readonly fence?: (fence: Fence) => Fence;
}
