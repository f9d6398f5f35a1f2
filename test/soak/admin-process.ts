/** The Admin API of a soak, in a process of its own, with faults, and people who edit what is ours. */
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "../../bench/processes/serve.ts";
import { seededRandom } from "../../bench/statistics.ts";
import type { FaultRule } from "../../src/sim/admin/admin-faults.ts";
import { htmlReply } from "../../src/sim/admin/admin-reply.ts";
import { startAdminServer, type AdminServer } from "../../src/sim/admin/admin-server.ts";

export type AdminCommands = {
  readonly start: (seed: number) => Promise<{ readonly url: string; readonly key: string }>;
  /** Another fault each `faultEvery` seconds, each half as long as that; at the end all is well. */
  readonly fail: (seconds: number, faultEvery: number) => Promise<void>;
  /** `host ip:port …` of every route, sorted. */
  readonly stands: () => readonly string[];
  readonly counts: () => {
    readonly writes: Readonly<Record<string, number>>;
    readonly faults: Readonly<Record<string, number>>;
  };
};

const faults: readonly FaultRule[] = [
  { fault: { kind: "reset", when: "before" }, chance: 0.3 },
  { fault: { kind: "reset", when: "after" }, chance: 0.3, methods: ["PUT", "DELETE"] },
  { fault: { kind: "delay", ms: [0, 400], when: "before" } },
  // Beyond the translator's patience: applied after it gave up.
  { fault: { kind: "delay", ms: 3000, when: "before" }, chance: 0.2, methods: ["PUT", "DELETE"] },
  { fault: { kind: "reply", reply: htmlReply(502, "Bad Gateway") } },
  { fault: { kind: "wrong-key" } },
  { fault: { kind: "body", keep: 0.5, ending: "end" }, chance: 0.5 },
  { fault: { kind: "body", keep: 0.5, ending: "reset" }, methods: ["GET"] },
  { fault: { kind: "wrong-types", what: "list-string" }, methods: ["GET"] },
  { fault: { kind: "stale-references", lag: 1000 } },
];

let server: AdminServer | undefined;
let random = seededRandom(1);
const writes: Record<string, number> = {};
const struck: Record<string, number> = {};

const commands: AdminCommands = {
  async start(seed) {
    random = seededRandom(seed);
    server = await startAdminServer({ random });
    server.admin.onExchange(({ method, status }) => {
      if (method === "GET") return;
      const name = `${method} ${status}`;
      writes[name] = (writes[name] ?? 0) + 1;
    });
    return { url: server.url, key: server.adminKey };
  },

  async fail(seconds, faultEvery) {
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      const mend = strike();
      await sleep((faultEvery * 1000) / 2);
      mend();
      edit();
      await sleep((faultEvery * 1000) / 2);
    }
    server?.admin.faults.clear();
  },

  stands: () => {
    const store = server?.admin.store;
    return (store?.list("routes") ?? [])
      .map(({ value }) => {
        const { hosts, upstream_id } = value as { readonly hosts: string[]; readonly upstream_id: string };
        const { nodes = [] } = (store?.get("upstreams", upstream_id)?.value ?? {}) as {
          readonly nodes?: readonly { readonly host: string; readonly port: number }[];
        };
        return [...hosts, ...nodes.map(({ host, port }) => `${host}:${port}`).toSorted()].join(" ");
      })
      .toSorted();
  },

  counts: () => ({ writes, faults: struck }),
};

/** @returns Its end. */
function strike(): () => void {
  const all = server?.admin.faults;
  const chosen = Math.floor(random() * (faults.length + 2));
  const rule = faults[chosen];
  const etcd = chosen === faults.length ? "down" : "hung";
  const name = rule?.fault.kind ?? `etcd ${etcd}`;
  struck[name] = (struck[name] ?? 0) + 1;
  if (rule !== undefined) return all?.add(rule) ?? (() => {});
  all?.setEtcd(etcd);
  return () => all?.setEtcd("up");
}

/** Somebody changes a route, or deletes it: the audit brings it back. */
function edit(): void {
  const routes = server?.admin.store.list("routes") ?? [];
  const route = routes[Math.floor(random() * routes.length)];
  if (route === undefined) return;
  const path = `/apisix/admin/routes/${route.id}`;
  if (random() < 0.5) {
    server?.admin.handle({ method: "DELETE", path });
    return;
  }
  const { create_time: _created, update_time: _updated, ...value } = route.value;
  server?.admin.handle({ method: "PUT", path, body: { ...value, desc: "edited" } });
}

serve(commands);
