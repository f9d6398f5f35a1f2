import { sealed } from "../../src/apisix/canonical.ts";
import { createHttpTransport } from "../../src/apisix/http-transport.ts";
import { idOf, labelsOf } from "../../src/apisix/identity.ts";
import { takeSnapshot, type Snapshot, type SnapshotOptions } from "../../src/apisix/snapshot.ts";
import type { AdminTransport } from "../../src/apisix/transport.ts";
import type { Identity, JsonObject } from "../../src/apisix/types.ts";
import { systemClock } from "../../src/runtime.ts";
import { startAdminServer, type AdminServer } from "../../src/sim/admin/admin-server.ts";

export const pod: Identity = {
  share: "cluster",
  cluster: "east-1",
  kind: "pod",
  namespace: "shop",
  name: "",
  route: "web",
};
export const id = idOf("default", pod);

export function upstreamBody(identity: Identity = pod, instance = "default"): JsonObject {
  return {
    labels: {
      ...labelsOf(instance, identity),
      "translator/member.east-1": "uid-of-east-1",
      "translator/uid": "uid-of-pod",
      "translator/select": "8080,endpoint,ready",
    },
    nodes: [
      { host: "10.0.0.2", port: 8080, weight: 100 },
      { host: "10.0.0.1", port: 8080, weight: 100 },
    ],
    type: "roundrobin",
  };
}

export function routeBody(identity: Identity = pod, instance = "default"): JsonObject {
  return {
    hosts: ["shop.test"],
    labels: labelsOf(instance, identity),
    upstream_id: idOf(instance, identity),
    uris: ["/*"],
  };
}

/** An embedded Admin API that is looked at over a real connection; `put` and `remove` go past that. */
export interface Gateway extends AsyncDisposable {
  readonly server: AdminServer;
  readonly transport: AdminTransport;
  readonly put: (path: string, body: JsonObject | string) => void;
  readonly remove: (path: string) => void;
  readonly look: (options?: Partial<SnapshotOptions>) => Promise<Snapshot>;
}

export async function gateway(): Promise<Gateway> {
  const server = await startAdminServer();
  const { send, close } = createHttpTransport({
    adminUrl: server.url,
    adminKey: () => server.adminKey,
    connections: 2,
    connectTimeout: 60_000,
    clock: systemClock,
  });
  const direct = (method: string, path: string, body?: JsonObject | string): void => {
    const reply = server.admin.handle({ method, path: `/apisix/admin/${path}`, body });
    if (reply.status > 201) throw new Error(`${method} ${path}: ${reply.status} ${reply.body}`);
  };
  return {
    server,
    transport: send,
    put: (path, body) => direct("PUT", path, body),
    remove: (path) => direct("DELETE", path),
    look: (options) =>
      takeSnapshot({
        transport: send,
        instance: "default",
        timeout: 60_000,
        maxListBytes: 1 << 30,
        clock: systemClock,
        ...options,
      }),
    [Symbol.asyncDispose]: async () => {
      await close();
      await server.close();
    },
  };
}

/** A gateway with one group of ours, as we write it. */
export async function gatewayWithGroup(): Promise<Gateway> {
  const made = await gateway();
  made.put(`upstreams/${id}`, sealed(upstreamBody()).text);
  made.put(`routes/${id}`, sealed(routeBody()).text);
  return made;
}

/** A route of somebody else. */
export const uriRoute = (more: JsonObject): JsonObject => ({ uri: "/*", plugins: {}, ...more });
