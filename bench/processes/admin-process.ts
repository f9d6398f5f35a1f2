/** The embedded Admin API of a bench, in a process of its own, with a journal that costs next to nothing. */
import { systemClock } from "../../src/runtime.ts";
import { startAdminServer, type AdminServer } from "../../src/sim/admin/admin-server.ts";
import type { AdminExchange } from "../../src/sim/admin/admin-exchange.ts";
import { sharedNow } from "./protocol.ts";
import { serve } from "./serve.ts";
import { cpuNow } from "./usage.ts";

/** Writes since they were last asked for; times on the shared clock. */
export interface Written {
  readonly writes: number;
  readonly refused: number;
  /** Arrival of the first, and when the last one was applied. */
  readonly first: number;
  readonly last: number;
  /** Milliseconds of CPU that this process used from the first to the last. */
  readonly cpu: number;
}

export interface Recorded {
  readonly path: string;
  readonly body: string;
}

/** `[id, at]` of a PUT of an upstream: when it had been received whole. */
export type Arrival = readonly [string, number];

export type AdminCommands = {
  /** An Admin API with nothing in it, in the place of the one that was: in a process that is warm. */
  readonly fresh: () => Promise<{ readonly url: string; readonly key: string }>;
  readonly written: () => Written;
  /** When the first read since it was last asked for arrived (shared clock); NaN where there was none. */
  readonly firstRead: () => number;
  /** The PUTs since `fresh`, in their order. Only the first `fresh` records. */
  readonly recorded: () => readonly Recorded[];
  /** Arrivals since they were last asked for. */
  readonly arrivals: () => readonly Arrival[];
  /** Upstreams by what they stand for: `[id, cluster/namespace/name]`. */
  readonly identities: () => readonly (readonly [string, string])[];
};

let server: AdminServer | undefined;
let recording: Recorded[] | undefined = [];
let arrivals: Arrival[] = [];
let window = emptyWindow();
let firstRead = NaN;

const commands: AdminCommands = {
  async fresh() {
    if (server !== undefined) {
      await server.close();
      recording = undefined;
    }
    server = await startAdminServer({ clock: { ...systemClock, now: sharedNow } });
    server.admin.onExchange(note);
    arrivals = [];
    window = emptyWindow();
    return { url: server.url, key: server.adminKey };
  },
  written() {
    const { writes, refused, first, last, cpu, lastCpu } = window;
    window = emptyWindow();
    return { writes, refused, first, last, cpu: lastCpu - cpu };
  },
  firstRead() {
    const at = firstRead;
    firstRead = NaN;
    return at;
  },
  recorded: () => recording ?? [],
  arrivals() {
    const taken = arrivals;
    arrivals = [];
    return taken;
  },
  identities: () =>
    (server?.admin.store.list("upstreams") ?? []).map(({ id, value }) => {
      const labels = (value["labels"] ?? {}) as Readonly<Record<string, string>>;
      const name = ["cluster", "namespace", "name"].map((part) => labels[`translator/${part}`] ?? "");
      return [id, name.join("/")] as const;
    }),
};

function emptyWindow(): {
  writes: number;
  refused: number;
  first: number;
  last: number;
  cpu: number;
  lastCpu: number;
} {
  return { writes: 0, refused: 0, first: NaN, last: NaN, cpu: 0, lastCpu: 0 };
}

function note(exchange: AdminExchange): void {
  const { method, resource, id = "", arrivedAt, at, status } = exchange;
  if (method === "GET") {
    if (Number.isNaN(firstRead)) firstRead = arrivedAt;
    return;
  }
  if (window.writes === 0) {
    window.first = arrivedAt;
    window.cpu = cpuNow();
  }
  window.writes += 1;
  window.last = at;
  // Asking the kernel costs more than a write should: often enough for a rate.
  if (window.writes % 100 === 0) window.lastCpu = cpuNow();
  if (status >= 400) window.refused += 1;
  if (method !== "PUT") return;
  if (recording !== undefined) recording.push({ path: exchange.path, body: JSON.stringify(exchange.body) });
  if (resource === "upstreams") arrivals.push([id, arrivedAt]);
}

serve(commands);
