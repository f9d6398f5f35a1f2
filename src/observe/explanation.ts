import type { RouteShape } from "../claims/claim.ts";
import type { Resource } from "../apisix/types.ts";
import type { State } from "./state.ts";

/** Body of `/explain` (PRODUCT.md, "Shapes of `--output json`"). */
export interface Explanation {
  readonly declarations: readonly ExplainedDeclaration[];
  /** Foreign routes that stand on what was asked for, whether one of ours wants it or not. */
  readonly foreign: readonly ExplainedForeign[];
  /** Where nothing is known though the target is well formed: why, one sentence. */
  readonly unknown?: string;
}

export interface ExplainedDeclaration {
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
  /** `""` for a group of Pods that none of its members declares any more. */
  readonly name: string;
  /** `""` where it cannot be read. */
  readonly route: string;
  readonly state: State;
  /** One sentence. */
  readonly reason: string;
  readonly hosts: readonly string[];
  readonly uris: readonly string[];
  /** What the route in APISIX matches, there while that is something else than `hosts` and `uris`, which are declared. */
  readonly stands?: RouteShape;
  /** What people call its group; absent where its object alone is the route. */
  readonly group?: string;
  /** Id of route and upstream in APISIX; `""` where it has none. */
  readonly id: string;
  /** Nodes that this declaration gives; null: not known. */
  readonly nodes: number | null;
  /** Last answered write of this id in this term. `at`: ISO 8601 in UTC. */
  readonly lastWrite: { readonly at: string; readonly resource: Resource; readonly status: number } | null;
}

export interface ExplainedForeign {
  readonly id: string;
  /** As `host/uri`. */
  readonly pairs: readonly string[];
}
