/**
 * The consumed values of each kind: what translation reads, and nothing else. Two objects with equal projections are
 * the same to every later stage. Times are milliseconds since 1970.
 */

export interface PodProjection {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly created: number;
  /** `metadata.deletionTimestamp` is set. */
  readonly terminating: boolean;
  readonly phase: string;
  /** The condition `Ready` is `True`. */
  readonly ready: boolean;
  /** `status.podIPs`, else `status.podIP`; in the server's order, without empty ones. */
  readonly ips: readonly string[];
  /** Named ports of containers and of init containers that keep running (`restartPolicy: Always`), sorted by name, first wins. */
  readonly ports: readonly (readonly [name: string, port: number])[];
  /** Kind of the owner that is the controller, `""` for none. */
  readonly controller: string;
  /** Text of the routes annotation; undefined where the Pod has none. */
  readonly routes: string | undefined;
  readonly paused: boolean;
}

/** A projection packed to bytes: equal bytes exactly for equal projections. Never a view into a shared buffer. */
export type Packed = Uint8Array<ArrayBuffer>;
