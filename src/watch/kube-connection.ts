import type { KubeTransport } from "./transport.ts";

/** A transport that holds sockets and a credential until it is closed. Closing ends its requests. */
export type KubeConnection = KubeTransport & {
  close(): Promise<void>;
  /** Calls `run` whenever what the connection was made from has changed; a new one would not be the same. */
  whenStale?(run: () => void): void;
};
