import type { Share, SourceKind } from "../declare/declaration.ts";

/** The vocabulary of the far side: what stands in APISIX and whose it is. */

export type Resource = "upstream" | "route";

/** Whose a route and its upstream are: what the id is hashed from. `""` where the identity lacks a part. */
export interface Identity {
  readonly share: Share;
  readonly cluster: string;
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
  readonly route: string;
}

/** A JSON object as read from the Admin API or as built for it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export interface UpstreamNode {
  /** IPv4, bracketed IPv6, or a name. */
  readonly host: string;
  readonly port: number;
  readonly weight: number;
  /** Whose node it is, in groups that several objects share. */
  readonly metadata?: { readonly cluster: string; readonly name?: string };
}

/** A cluster that has a part in an upstream: its name, and the uid of its `kube-system` as the upstream's label says. */
export type MemberCluster = readonly [cluster: string, uid: string];

/**
 * One of our objects as last seen in APISIX. `digest` is the hash of its canonical content without server times and
 * digest label. `found` is the object itself where that hash is not the one that its digest label names: somebody
 * edited it, or an old APISIX stores defaults.
 */
export interface Standing {
  readonly digest: string;
  readonly found?: JsonObject;
}
