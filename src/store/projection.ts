import type { ByteText } from "./byte-text.ts";
import type { Family } from "./ip-address.ts";

/**
 * The consumed values of each kind: what translation reads, and nothing else. Two objects with equal projections are
 * the same to every later stage. Times are milliseconds since 1970.
 */

/** What every kind of source has. */
export interface SourceFields {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly created: number;
  /** `metadata.deletionTimestamp` is set. */
  readonly terminating: boolean;
  /** Text of the routes annotation; undefined where there is none. */
  readonly routes: string | undefined;
  readonly paused: boolean;
}

/** An object that carries declarations, told apart by `kind`. */
export type SourceObject = PodProjection | ServiceProjection;

export interface PodProjection extends SourceFields {
  readonly kind: "pod";
  readonly phase: string;
  /** The condition `Ready` is `True`. */
  readonly ready: boolean;
  /** `status.podIPs`, else `status.podIP`; in the server's order, without empty ones. */
  readonly ips: readonly string[];
  /** Named ports of containers and of init containers that keep running (`restartPolicy: Always`), sorted by name, first wins. */
  readonly ports: readonly (readonly [name: string, port: number])[];
  /** Kind of the owner that is the controller, `""` for none. */
  readonly controller: string;
}

export interface ServicePort {
  /** `""` for the one port of a Service that need not name it. */
  readonly name: string;
  readonly port: number;
  /** 0 for none. */
  readonly nodePort: number;
}

export interface ServiceProjection extends SourceFields {
  readonly kind: "service";
  /** `spec.type` is `ExternalName`: it has no endpoints. */
  readonly external: boolean;
  /** `spec.externalTrafficPolicy` is `Local`. */
  readonly local: boolean;
  /** The TCP ports, sorted by number, then name. */
  readonly ports: readonly ServicePort[];
}

/** What an endpoint's conditions mean (FACTS-KUBERNETES.md, traps 3 and 4); the greater one wins where two entries disagree. */
export const condition = {
  /** Terminating, and does not serve. */
  out: 0,
  /** Terminating and serving: stands in where nothing is ready. */
  draining: 1,
  notReady: 2,
  ready: 3,
} as const;

/**
 * One EndpointSlice, in columns: an endpoint is one row of `addresses`, `conditions` and `nodes`. Rows are sorted by
 * address, then condition, then Node; none is there twice. Zones, hints and what endpoints refer to are not consumed.
 */
export interface EndpointSliceProjection {
  /** Name of the Service in the slice's namespace. */
  readonly service: string;
  readonly family: Family;
  /** Ports that have a number, by name, sorted; an unnamed one is `""`. */
  readonly ports: readonly (readonly [name: string, port: number])[];
  /** 4 or 16 bytes each. */
  readonly addresses: Uint8Array;
  /** A byte each: a `condition`. */
  readonly conditions: Uint8Array;
  /** 6 bytes each, the mark of the Node that the endpoint is on; empty where no endpoint names a Node. */
  readonly nodes: Uint8Array;
  /**
   * Not a slice, but what has vanished from one a moment ago, perhaps into another one: its endpoints count only while
   * they stand in no slice.
   */
  readonly vanished: boolean;
}

export interface NodeProjection {
  /** Canonical texts, sorted: the order on the wire means nothing. */
  readonly internalIPs: readonly string[];
  readonly externalIPs: readonly string[];
  /** Labelled to take no traffic from outside. */
  readonly excluded: boolean;
}

/** The projection of each kind. */
export interface Projections {
  readonly pods: PodProjection;
  readonly services: ServiceProjection;
  readonly endpointslices: EndpointSliceProjection;
  readonly nodes: NodeProjection;
}

/** A projection packed to bytes: equal texts exactly for equal projections. */
export type Packed = ByteText;
