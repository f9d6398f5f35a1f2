import type { Resource } from "../apisix/types.ts";
import type { State } from "./state.ts";

/** One declaration as `/explain` tells it (PRODUCT.md, "Shapes of `--output json`"). */
export interface Explanation {
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** `""` where it cannot be read. */
  readonly route: string;
  readonly state: State;
  /** One sentence; `""` where there is nothing to say. */
  readonly reason: string;
  readonly hosts: readonly string[];
  readonly uris: readonly string[];
  /** Id of route and upstream in APISIX; `""` where it has none. */
  readonly id: string;
  /** Nodes that this declaration gives. */
  readonly nodes: number;
  /** Last answered write of this id in this term. `at`: ISO 8601 in UTC. */
  readonly lastWrite: { readonly at: string; readonly resource: Resource; readonly status: number } | null;
}
