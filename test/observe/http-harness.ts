import { connect } from "node:net";
import { HttpServer } from "../../src/observe/http-server.ts";
import type { HttpServerParts } from "../../src/observe/http-server.ts";
import { noStates } from "../../src/observe/count-states.ts";
import { noEvents } from "../../src/observe/event-counts.ts";
import type { Observed } from "../../src/observe/observed.ts";
import { statusOf } from "../../src/observe/status.ts";
import { silentLog, systemClock } from "../../src/runtime.ts";

const anyPort = { host: "127.0.0.1", port: 0 };

/** A leader of nothing, with what a test changes. */
export function observed(over: Partial<Observed> = {}): Observed {
  return {
    role: () => "leader",
    leader: () => undefined,
    ready: () => ({ ready: true, role: "leader", waitingFor: [], degraded: [] }),
    status: () =>
      Promise.resolve(
        statusOf({
          ...{ role: "leader", leader: undefined, paused: false, shadow: false },
          ...{ clusters: [], routes: noStates(), events: noEvents() },
          queues: { drip: 0, burst: 0, nextBurstAt: undefined },
          guard: { held: 0, batch: undefined },
          gateway: { state: "up", version: "3.18.0", routes: 0 },
          workers: { restarts: 0, quarantined: [] },
        }),
      ),
    explain: () => Promise.resolve({ declarations: [], foreign: [] }),
    metrics: () => Promise.resolve("# HELP x y\n"),
    approve: () => undefined,
    pause: () => Promise.resolve(),
    resume: () => {},
    audit: () => Promise.resolve({ ok: true, drifted: 0 }),
    accept: (cluster) => Promise.resolve({ ok: true, cluster, uid: "u-2", was: "u-1", relabelled: 3 }),
    purge: (cluster) => Promise.resolve({ ok: true, cluster, groups: 2, left: 0 }),
    ...over,
  };
}

export interface Running {
  readonly read: string;
  readonly admin: string;
  readonly readPort: number;
  readonly server: HttpServer;
}

export async function start(
  over: Partial<Observed> = {},
  parts: Partial<HttpServerParts> = {},
): Promise<Running> {
  const server = new HttpServer({
    ...{ clock: systemClock, log: silentLog, listen: anyPort, admin: anyPort, observed: observed(over) },
    ...parts,
  });
  const { listen, admin } = await server.start();
  return {
    ...{ read: `http://127.0.0.1:${listen.port}`, admin: `http://127.0.0.1:${admin.port}`, server },
    readPort: listen.port,
  };
}

/** Sends bytes as they are; resolves to all that comes back until the server closes. */
export function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      received += chunk;
    });
    // A reset after the answer is an end like any other.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve(received));
  });
}
