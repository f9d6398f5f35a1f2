import type { KubeTransport } from "./transport.ts";

/** A transport that holds sockets and a credential until it is closed. Closing ends its requests. */
export type KubeConnection = KubeTransport & { close(): Promise<void> };
