import type { Sink } from "../commands/command.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { AdminServer } from "../sim/admin/admin-server.ts";

const refresh = 250;
const clearLine = "\r\u001b[2K";

/** A live line on a terminal; nothing where the output is no terminal. */
export function showProgress(stderr: Sink, metrics: Metrics, gateway: AdminServer): { stop(): void } {
  if (!stderr.isTerminal) return { stop() {} };
  const timer = setInterval(() => {
    const { events, writes } = metrics.totals();
    const { kept, ...dropped } = events.pods;
    const drops = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    const written = writes.reduce((sum, { count }) => sum + count, 0);
    const routes = gateway.admin.store.size("routes");
    stderr.write(
      `${clearLine}${routes} routes · ${kept + drops} events, ${drops} dropped · ${written} writes`,
    );
  }, refresh);
  return {
    stop() {
      clearInterval(timer);
      stderr.write(clearLine);
    },
  };
}
