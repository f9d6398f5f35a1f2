import type { Identity, UpstreamNode } from "../apisix/types.ts";
import type { SourceObject } from "../store/projection.ts";
import type { Settings } from "./settings.ts";

/** One declaration of one object, as part of a group. */
export interface Member {
  readonly id: string;
  readonly identity: Identity;
  readonly cluster: string;
  readonly object: SourceObject;
  readonly route: string;
  readonly state: "Valid" | "Invalid" | "Forbidden";
  /** One sentence for every state but `Valid`. */
  readonly reason: string;
  /** Undefined of one that is `Invalid`. */
  readonly settings: Settings | undefined;
  /** A declaration of its own in `/status`; false for routes that an unreadable annotation merely keeps. */
  readonly counted: boolean;
  /**
   * Nothing says any more to whom the group belonged, and it may have been this object: that keeps the group, and gives it
   * no nodes.
   */
  readonly mayBe?: boolean;
  /** Set while the object is paused: what it gave before. `unknown` after a restart, until APISIX says. */
  readonly paused: false | { readonly nodes: readonly UpstreamNode[] | "unknown" };
}

/** A declaration that belongs to no group: its name or share cannot be read, is taken, or is not admitted. */
export interface Stray {
  readonly route: string;
  readonly state: "Invalid" | "Forbidden";
  readonly reason: string;
}

/** What one object declares. */
export interface Source {
  readonly cluster: string;
  readonly object: SourceObject;
  readonly members: readonly Member[];
  readonly strays: readonly Stray[];
  /**
   * Which routes do not count as taken out although they are not declared: `all` where the annotation, or a name or share
   * in it, cannot be read; else those of entries that are invalid, whatever share they now name.
   */
  readonly keeps: "all" | readonly string[];
}

/** Age order of a group's members: created, then cluster, namespace, name, bytewise. */
export function compareMembers(a: Member, b: Member): number {
  return (
    a.object.created - b.object.created ||
    compareText(a.cluster, b.cluster) ||
    compareText(a.object.namespace, b.object.namespace) ||
    compareText(a.object.name, b.object.name)
  );
}

/** Bytewise for the ASCII names of Kubernetes. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
