import type { UpstreamNode } from "../apisix/types.ts";
import type { Declaration, SourceKind } from "../declare/declaration.ts";
import type { SourceObject } from "../store/projection.ts";
import type { NodeContext } from "./pod-nodes.ts";
import { podRow } from "./pod-row.ts";
import { serviceRow } from "./service-row.ts";
import type { Selection } from "./settings.ts";

/** What one kind of source means: everything in which kinds differ. */
export interface SourceRow<Object extends SourceObject> {
  /** Kind of the owner that decides on the default of `share`; undefined: none. */
  controllerOf(object: Object): string | undefined;
  /** Why a declaration cannot hold for this object, one sentence; undefined: it can. */
  problemOf(object: Object, declaration: Declaration): string | undefined;
  /** Whether it counts for a group's spec (PRODUCT.md, "Groups"). */
  isLiving(object: Object): boolean;
  /** Whether two versions of an object that declare the same text can only differ in what chooses nodes. */
  declaresAlike(a: Object, b: Object): boolean;
  nodesOf(object: Object, selection: Selection, context: NodeContext): UpstreamNode[];
  /** Why it may give no nodes although all is as it should be: a clause worth a word, or `""`. */
  whyNoNodes(object: Object, selection: Selection, context: NodeContext): string;
  /** Whether it gives no nodes because all that they are read from is gone: that may be a mistake of somebody. */
  isBare(object: Object, selection: Selection, context: NodeContext): boolean;
}

type Rows = { readonly [K in SourceKind]: SourceRow<Extract<SourceObject, { readonly kind: K }>> };

const rows: Rows = { pod: podRow, service: serviceRow };

export function rowOf<Object extends SourceObject>({ kind }: Object): SourceRow<Object> {
  // Each row is that of its own kind: TypeScript cannot follow the correlation.
  return rows[kind] as unknown as SourceRow<Object>;
}
