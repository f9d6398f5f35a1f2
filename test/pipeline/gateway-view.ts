import type { JsonObject } from "../../src/apisix/types.ts";
import type { AdminExchange } from "../../src/sim/admin/admin-exchange.ts";
import { AdminJournal } from "../../src/sim/admin/admin-exchange.ts";
import type { AdminServer } from "../../src/sim/admin/admin-server.ts";

/** What stands in the embedded gateway, and what was asked of it. */
export class GatewayView {
  readonly gateway: AdminServer;
  readonly journal = new AdminJournal(100_000);

  constructor(gateway: AdminServer) {
    this.gateway = gateway;
    gateway.admin.onExchange(this.journal.add);
  }

  /** Requests of the translator that were to change something. */
  get writes(): readonly AdminExchange[] {
    return this.journal.writes.filter(({ direct }) => !direct);
  }

  /** How many writes there have been: to be given to `writesSince`. */
  get mark(): number {
    return this.writes.length;
  }

  /** `METHOD resource` of every write since `from`, in order. */
  writesSince(from: number): string[] {
    return this.writes.slice(from).map(({ method, resource }) => `${method} ${resource}`);
  }

  /** `METHOD resource cluster/namespace/name/route` of every write since `from`, in order. */
  namedSince(from: number): string[] {
    return this.writes.slice(from).map(({ method, resource, id, body, changes }) => {
      const value = (body ?? changes[0]?.before?.value) as { name?: string } | undefined;
      return `${method} ${resource} ${value?.name ?? id}`;
    });
  }

  /** How often each of `writesSince` came. */
  tally(from: number): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const write of this.writesSince(from)) counts[write] = (counts[write] ?? 0) + 1;
    return counts;
  }

  routes(): JsonObject[] {
    return this.gateway.admin.store.list("routes").map(({ value }) => value as JsonObject);
  }

  upstreams(): JsonObject[] {
    return this.gateway.admin.store.list("upstreams").map(({ value }) => value as JsonObject);
  }

  /** `host uri` of every route, sorted. */
  pairs(): string[] {
    return this.routes()
      .flatMap(({ hosts, uris }) =>
        ((hosts ?? []) as string[]).flatMap((host) =>
          ((uris ?? []) as string[]).map((uri) => `${host} ${uri}`),
        ),
      )
      .toSorted();
  }

  routeOf(host: string): JsonObject | undefined {
    return this.routes().find(({ hosts }) => (hosts as string[] | undefined)?.includes(host));
  }

  /** `cluster/namespace/name/route` of the route that has the host. */
  holderOf(host: string): string | undefined {
    return this.routeOf(host)?.["name"] as string | undefined;
  }

  upstreamOf(host: string): JsonObject | undefined {
    const id = String(this.routeOf(host)?.["upstream_id"]);
    return this.gateway.admin.store.get("upstreams", id)?.value as JsonObject | undefined;
  }

  /** The nodes behind a host, `ip:port`, sorted; undefined where no route has it. */
  nodesOf(host: string): string[] | undefined {
    if (this.routeOf(host) === undefined) return undefined;
    const nodes = (this.upstreamOf(host)?.["nodes"] ?? []) as { host: string; port: number }[];
    return nodes.map(({ host: ip, port }) => `${ip}:${port}`).toSorted();
  }

  /** A human's or a stranger's request: at once, past all faults. @throws Error where APISIX refuses it. */
  asStranger(method: string, path: string, body?: object): void {
    const { status, body: answer } = this.gateway.admin.handle({
      ...{ method, path: `/apisix/admin/${path}` },
      ...(body === undefined ? {} : { body }),
    });
    if (status >= 300) throw new Error(`${method} ${path} was refused: ${answer}`);
  }

  /** A human deletes the route and the upstream of this id. */
  forget(id: string): void {
    for (const collection of ["routes", "upstreams"])
      if (this.gateway.admin.store.get(collection, id) !== undefined)
        this.asStranger("DELETE", `${collection}/${id}`);
  }
}
