import type { Metrics } from "../observe/metrics.ts";
import { countsOf } from "../observe/event-counts.ts";
import type { AdminServer } from "../sim/admin/admin-server.ts";

/** What the live line says now. */
export function progressLine(metrics: Pick<Metrics, "totals">, gateway: AdminServer): string {
  const { events, writes } = metrics.totals();
  const { kept, ...dropped } = countsOf(events);
  const drops = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  const written = writes.reduce((sum, { count }) => sum + count, 0);
  const routes = gateway.admin.store.size("routes");
  return `${routes} routes · ${kept + drops} events, ${drops} dropped · ${written} writes`;
}
