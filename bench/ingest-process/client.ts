import type { LoadedCluster } from "../processes/load-process.ts";

/** What a process has seen and used since it began. */
export interface Reading {
  /** The first list has been taken in. */
  readonly synced: boolean;
  /** Of the watch. */
  readonly events: number;
  /** Of these, what was let through. */
  readonly kept: number;
  /** Milliseconds of the whole process. */
  readonly cpu: number;
  /** Bytes. */
  readonly rss: number;
}

/** A process that watches the EndpointSlices of one cluster. */
export interface Client {
  start(cluster: LoadedCluster & { readonly token: string }): Promise<void>;
  read(): Promise<Reading>;
  stop(): Promise<void>;
}
