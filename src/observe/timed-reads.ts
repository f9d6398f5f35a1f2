import type { AdminMethod, AdminTransport } from "../apisix/transport.ts";
import type { Clock } from "../runtime.ts";
import type { Metrics } from "./metrics.ts";

const collections: Readonly<Record<string, string>> = {
  routes: "route",
  upstreams: "upstream",
  services: "service",
};

const writes: ReadonlySet<AdminMethod> = new Set(["PUT", "DELETE"]);

/** Counts the reads of APISIX, and checks of bodies, until their answer's headers; writes are told by the writer. */
export function timedReads(admin: AdminTransport, clock: Clock, metrics: Metrics): AdminTransport {
  const timed: AdminTransport = async (request) => {
    const started = clock.now();
    try {
      return await admin(request);
    } finally {
      const collection = request.path.split(/[/?]/)[3] ?? "";
      metrics.adminRequest(
        request.method,
        collections[collection] ?? "other",
        (clock.now() - started) / 1000,
      );
    }
  };
  return (request) => (writes.has(request.method) ? admin(request) : timed(request));
}
