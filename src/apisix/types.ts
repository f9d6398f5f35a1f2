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
 * digest label, as long as that label names it. Otherwise somebody edited the one or the other, or an old APISIX stores
 * defaults: then `found` is the object itself, and `digest` is of both, equal to that of no body.
 */
export interface Standing {
  readonly digest: string;
  readonly found?: JsonObject;
}
