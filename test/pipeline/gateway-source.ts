import { startAdminServer, type AdminServer } from "../../src/sim/admin/admin-server.ts";

/** Where pipelines find their Admin API. */
export interface GatewaySource {
  /** The translator's `instance`. */
  readonly instance: string;
  /** What strangers' ids begin with there, in front of what the test calls them. */
  readonly mark: string;
  /** One for each pipeline, with nothing of this instance in it. */
  open(): Promise<AdminServer>;
}

let source: GatewaySource = { instance: "default", mark: "", open: () => startAdminServer() };

export function gatewaySource(): GatewaySource {
  return source;
}

/** To be called before the tests: from then on their pipelines work on another Admin API than the embedded one. */
export function useGateways(other: GatewaySource): void {
  source = other;
}
