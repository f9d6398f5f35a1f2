import type { SourceKind } from "../declare/declaration.ts";
import type { Kind } from "../watch/events.ts";

/** What a kind of source rests on. */
export interface SourceKindRow {
  /** The watched kind whose objects carry the declarations. */
  readonly objects: Kind;
  /** Every watched kind that a group of this kind rests on: nothing is said of it before all are settled. */
  readonly feeds: readonly Kind[];
  /** Watched kinds that only some groups of this kind rest on. */
  readonly mayFeed?: readonly Kind[];
  /** Whether groups that several objects share are told apart by the objects' name. */
  readonly sharedByName: boolean;
}

/**
 * Kinds of object that carry declarations. A new one is a row here; its projection in `SourceObject`; what it gives in
 * `desired/source-rows.ts`; how its bytes are read in `shard/codec.ts`.
 *
 * Groups under `via: nodePort` rest on `nodes` besides: not told by their identity, so the shard alone waits for that.
 */
export const sourceKinds: Readonly<Record<SourceKind, SourceKindRow>> = {
  pod: { objects: "pods", feeds: ["pods"], sharedByName: false },
  service: {
    objects: "services",
    feeds: ["services", "endpointslices"],
    mayFeed: ["nodes"],
    sharedByName: true,
  },
};

/** Kinds of source whose groups rest on a watched kind. */
export function sourcesFedBy(kind: Kind): SourceKind[] {
  return (Object.keys(sourceKinds) as SourceKind[]).filter((source) =>
    sourceKinds[source].feeds.includes(kind),
  );
}

/** Kinds of source of which some groups rest on a watched kind. */
export function sourcesTouchedBy(kind: Kind): SourceKind[] {
  const fed = (Object.keys(sourceKinds) as SourceKind[]).filter((source) =>
    sourceKinds[source].mayFeed?.includes(kind),
  );
  return [...sourcesFedBy(kind), ...fed];
}

/** The kind of source that objects of a watched kind are; undefined: they carry no declarations. */
export function sourceOf(kind: Kind): SourceKind | undefined {
  return (Object.keys(sourceKinds) as SourceKind[]).find((source) => sourceKinds[source].objects === kind);
}

/** What the sources that are translated rest on, but for Nodes, which are watched while somebody needs them. */
export function feedsOf({
  pods,
  services,
}: {
  readonly pods: boolean;
  readonly services: boolean;
}): readonly Kind[] {
  return [...(pods ? sourceKinds.pod.feeds : []), ...(services ? sourceKinds.service.feeds : [])];
}
