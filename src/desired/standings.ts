import type { Identity } from "../apisix/types.ts";
import type { Stands } from "./group.ts";
import type { SourceKey } from "./sources.ts";

/** What is known to stand in APISIX, as translation asks for it. */
export interface Standings {
  of(id: string): Stands;
  /** Groups under `share: none` of one object. */
  ofObject(object: SourceKey): Iterable<{ id: string; identity: Identity }>;
  /** Groups that this object may share with others, under `share: cluster` and `fleet`. */
  shared(object: SourceKey): Iterable<{ id: string; identity: Identity }>;
}
