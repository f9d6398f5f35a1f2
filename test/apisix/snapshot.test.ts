import { describe, expect, it } from "vitest";
import { contentDigest, sealed } from "../../src/apisix/canonical.ts";
import { createHttpTransport } from "../../src/apisix/http-transport.ts";
import { idOf, labelsOf } from "../../src/apisix/identity.ts";
import { takeSnapshot, type Snapshot, type SnapshotOptions } from "../../src/apisix/snapshot.ts";
import { pairsOf } from "../../src/declare/pair.ts";
import type { AdminTransport } from "../../src/apisix/transport.ts";
import type { Identity, JsonObject } from "../../src/apisix/types.ts";
import { systemClock, type Clock } from "../../src/runtime.ts";
import { startAdminServer, type AdminServer } from "../../src/sim/admin/admin-server.ts";
import { wrongTypes } from "../../src/sim/admin/spoil-reply.ts";

const pod: Identity = {
  share: "cluster",
  cluster: "east-1",
  kind: "pod",
  namespace: "shop",
  name: "",
  route: "web",
};
const id = idOf("default", pod);

function upstreamBody(identity: Identity = pod, instance = "default"): JsonObject {
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

function routeBody(identity: Identity = pod, instance = "default"): JsonObject {
  return {
    hosts: ["shop.test"],
    labels: labelsOf(instance, identity),
    upstream_id: idOf(instance, identity),
    uris: ["/*"],
  };
}

interface Gateway extends AsyncDisposable {
  readonly server: AdminServer;
  readonly transport: AdminTransport;
  readonly put: (path: string, body: JsonObject | string) => void;
  readonly remove: (path: string) => void;
  readonly look: (options?: Partial<SnapshotOptions>) => Promise<Snapshot>;
}

async function gateway(): Promise<Gateway> {
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
async function gatewayWithGroup(): Promise<Gateway> {
  const it = await gateway();
  it.put(`upstreams/${id}`, sealed(upstreamBody()).text);
  it.put(`routes/${id}`, sealed(routeBody()).text);
  return it;
}

const uriRoute = (more: JsonObject): JsonObject => ({ uri: "/*", plugins: {}, ...more });

describe("takeSnapshot", () => {
  it("finds nothing in an empty APISIX, and its version", async () => {
    await using it = await gateway();
    const { startedAt, finishedAt, ...found } = await it.look();
    expect(finishedAt).toBeGreaterThanOrEqual(startedAt);
    expect(found).toEqual({
      version: "3.18.0",
      owned: new Map(),
      foreign: [],
      foreignIds: { upstream: new Set(), route: new Set() },
      forged: [],
      routes: 0,
      strangers: 0,
    });
  });

  it("finds what we wrote, with its digests and without the objects", async () => {
    await using it = await gatewayWithGroup();
    const { owned, foreign, foreignIds, routes, strangers } = await it.look();
    expect(owned).toEqual(
      new Map([
        [
          id,
          {
            identity: pod,
            upstream: {
              digest: sealed(upstreamBody()).digest,
              nodes: 2,
              uid: "uid-of-pod",
              members: [["east-1", "uid-of-east-1"]],
            },
            route: {
              digest: sealed(routeBody()).digest,
              hosts: ["shop.test"],
              uris: ["/*"],
              createdIndex: it.server.admin.store.get("routes", id)?.createdIndex,
            },
          },
        ],
      ]),
    );
    expect({ foreign, foreignIds, routes, strangers }).toEqual({
      foreign: [],
      foreignIds: { upstream: new Set(), route: new Set() },
      routes: 1,
      strangers: 0,
    });
  });

  it("is nothing where a list is longer than `maxListBytes`", async () => {
    await using it = await gatewayWithGroup();
    await expect(it.look({ maxListBytes: 200 })).rejects.toMatchObject({ code: "ADMIN_PROTOCOL" });
  });

  it("A7: shows an object of ours that somebody edited, as it stands", async () => {
    await using it = await gatewayWithGroup();
    const edited = { ...(JSON.parse(sealed(upstreamBody()).text) as JsonObject), nodes: [] };
    it.put(`upstreams/${id}`, edited);
    const { upstream, route } = (await it.look()).owned.get(id) ?? {};
    expect(upstream).toMatchObject({ digest: contentDigest(edited), found: { id, nodes: [] }, nodes: 0 });
    expect(upstream?.digest).not.toBe(sealed(upstreamBody()).digest);
    expect(route).not.toHaveProperty("found");
  });

  it("A7: shows one resource without the other", async () => {
    await using it = await gatewayWithGroup();
    it.remove(`routes/${id}`);
    expect((await it.look()).owned.get(id)).not.toHaveProperty("route");
  });

  it("A6: takes an object whose owner or instance was edited for foreign, and the other resource still for ours", async () => {
    await using it = await gatewayWithGroup();
    for (const labels of [{}, { ...labelsOf("default", pod), "translator/instance": "other" }]) {
      it.put(`routes/${id}`, { ...routeBody(), labels });
      const { owned, foreign, foreignIds, forged } = await it.look();
      expect(owned.get(id)).toHaveProperty("upstream");
      expect(owned.get(id)).not.toHaveProperty("route");
      expect(foreign).toMatchObject([{ id, hosts: ["shop.test"], uris: ["/*"] }]);
      expect(foreignIds).toEqual({ upstream: new Set(), route: new Set([id]) });
      expect(forged).toEqual([]);
    }
    it.put(`upstreams/${id}`, { nodes: [] });
    const { owned, foreignIds } = await it.look();
    expect(owned.size).toBe(0);
    expect(foreignIds).toEqual({ upstream: new Set([id]), route: new Set([id]) });
  });

  it("reports forged labels, and takes the object for foreign", async () => {
    await using it = await gatewayWithGroup();
    it.put("routes/stolen", { ...routeBody(), hosts: ["other.test"] });
    it.put("upstreams/stolen", upstreamBody());
    const elsewhere = { ...pod, namespace: "bank" };
    it.put(`routes/${id}`, { ...routeBody(), labels: labelsOf("default", elsewhere) });
    const { owned, foreign, foreignIds, forged } = await it.look();
    expect(owned.get(id)).not.toHaveProperty("route");
    expect([...owned.keys()]).toEqual([id]);
    expect(foreign.map((route) => route.id).toSorted()).toEqual(["stolen", id].toSorted());
    expect(foreignIds).toEqual({ upstream: new Set(), route: new Set([id]) });
    expect(forged.map((each) => `${each.resource} ${each.id}`).toSorted()).toEqual([
      "route stolen",
      `route ${id}`,
      "upstream stolen",
    ]);
  });

  it("keeps other instances' objects apart", async () => {
    await using it = await gateway();
    const other = idOf("other", pod);
    it.put(`upstreams/${other}`, sealed(upstreamBody(pod, "other")).text);
    it.put(`routes/${other}`, sealed(routeBody(pod, "other")).text);
    const { owned, foreign, forged } = await it.look();
    expect({ owned: owned.size, forged }).toEqual({ owned: 0, forged: [] });
    expect(foreign).toMatchObject([{ id: other, hosts: ["shop.test"], uris: ["/*"] }]);
  });

  it("reads a foreign route's pairs: lower case, host and hosts, uri and uris, every host where there is none", async () => {
    await using it = await gateway();
    it.put("routes/a", uriRoute({ host: "Shop.TEST" }));
    it.put("routes/b", { uris: ["/b", "/a/*"], plugins: {}, hosts: ["*.B.test", "a.test"] });
    it.put("routes/c", uriRoute({}));
    it.put("routes/d", uriRoute({ host: "off.test", status: 0 }));
    it.put("routes/e", uriRoute({ host: "Dot.test." }));
    it.put("routes/f", uriRoute({ host: "Odd_NAME" }));
    const { foreign, routes } = await it.look();
    expect(foreign.map((route) => [route.id, ...pairsOf(route.hosts, route.uris)])).toEqual([
      ["a", "shop.test /*"],
      ["b", "*.b.test /a/*", "*.b.test /b", "a.test /a/*", "a.test /b"],
      ["c", " /*"],
      ["e", "dot.test /*"],
      ["f", "odd_name /*"],
    ]);
    expect(foreign[0]?.createdIndex).toBe(it.server.admin.store.get("routes", "a")?.createdIndex);
    expect(routes).toBe(6);
  });

  it("reads the hosts of a foreign route from its service, unless it has its own", async () => {
    await using it = await gateway();
    it.put("services/s", { hosts: ["S.test"] });
    it.put("services/7", { hosts: ["seven.test"] });
    it.put("services/none", {});
    it.put("routes/a", uriRoute({ service_id: "s" }));
    it.put("routes/b", uriRoute({ service_id: "s", host: "own.test" }));
    it.put("routes/c", uriRoute({ service_id: "none" }));
    it.put("routes/d", uriRoute({ service_id: 7 }));
    it.put("routes/e", uriRoute({ service_id: "s", status: 0 }));
    const hosts = Object.fromEntries((await it.look()).foreign.map((route) => [route.id, route.hosts]));
    expect(hosts).toEqual({ a: ["s.test"], b: ["own.test"], c: [""], d: ["seven.test"] });
  });

  it("finds the service of a route that is written while it looks", async () => {
    await using it = await gateway();
    let isFirst = true;
    const transport: AdminTransport = async (request) => {
      const response = await it.transport(request);
      if (!isFirst) return response;
      isFirst = false;
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      it.put("services/s", { hosts: ["s.test"] });
      it.put("routes/r", uriRoute({ service_id: "s" }));
      return {
        ...response,
        body: (async function* () {
          yield* chunks;
        })(),
      };
    };
    const { foreign } = await it.look({ transport });
    for (const route of foreign) expect(route.hosts).toEqual(["s.test"]);
  });

  it("looks at routes alone where told", async () => {
    await using it = await gatewayWithGroup();
    const paths: string[] = [];
    const { owned } = await it.look({
      only: "routes",
      transport: (request) => {
        paths.push(request.path);
        return it.transport(request);
      },
    });
    expect(paths).toEqual(["/apisix/admin/routes", "/apisix/admin/services"]);
    expect(owned.get(id)).toHaveProperty("route");
    expect(owned.get(id)).not.toHaveProperty("upstream");
  });

  it("tells of each object, and lets others run between slices of work", async () => {
    await using it = await gatewayWithGroup();
    for (let i = 0; i < 600; i++)
      it.put(`routes/r${i}`, uriRoute({ host: `h${i}.test`, desc: "x".repeat(250) }));
    let now = 0;
    let turns = 0;
    const clock: Clock = {
      ...systemClock,
      now: () => (now += 10),
      soon: (run) => {
        turns++;
        return systemClock.soon(run);
      },
    };
    const told: string[] = [];
    const { routes } = await it.look({ clock, onObject: (collection) => told.push(collection) });
    expect(routes).toBe(601);
    expect(told).toHaveLength(602);
    expect(turns).toBeGreaterThan(3);
  });
});

describe("takeSnapshot, when APISIX is not well", () => {
  const code = async (it: Gateway, options?: Partial<SnapshotOptions>): Promise<unknown> => {
    const end: unknown = await it.look(options).catch((error: unknown) => error);
    return end instanceof Error && "code" in end ? end.code : "a snapshot";
  };

  it.each([0, 0.01, 0.5, 0.999])("A10: refuses a list that is cut off after %d of it", async (keep) => {
    await using it = await gatewayWithGroup();
    for (const resource of ["routes", "services", "upstreams"]) {
      const mend = it.server.admin.faults.add({ resource, fault: { kind: "body", keep, ending: "end" } });
      expect(await code(it)).toBe("ADMIN_PROTOCOL");
      mend();
    }
    expect(await code(it)).toBe("a snapshot");
  });

  it("A10: refuses a list whose connection breaks", async () => {
    await using it = await gatewayWithGroup();
    it.server.admin.faults.add({
      resource: "upstreams",
      fault: { kind: "body", keep: 0.5, ending: "reset" },
    });
    expect(await code(it)).toBe("ADMIN_CONNECTION");
  });

  it("refuses a list without end", async () => {
    await using it = await gatewayWithGroup();
    it.server.admin.faults.add({ resource: "routes", fault: { kind: "body", keep: 0.5, ending: "endless" } });
    expect(await code(it, { maxListBytes: 1 << 20 })).toBe("ADMIN_PROTOCOL");
  });

  it.each(wrongTypes)("A10: refuses a list with a wrong type: %s", async (what) => {
    await using it = await gatewayWithGroup();
    const resource = what === "nodes-number" ? "upstreams" : "routes";
    it.server.admin.faults.add({ resource, fault: { kind: "wrong-types", what } });
    expect(await code(it)).toBe("ADMIN_PROTOCOL");
  });

  it.each<[string, number, string, string]>([
    ["an HTML page", 200, "<html></html>", "ADMIN_PROTOCOL"],
    ["a redirect", 302, "<html></html>", "ADMIN_PROTOCOL"],
    ["the data plane", 404, '{"error_msg":"404 Route Not Found"}', "ADMIN_PROTOCOL"],
    ["a proxy's 502", 502, "<html></html>", "ADMIN_PROTOCOL"],
    ["another list", 200, '{"list":[],"total":1}', "ADMIN_PROTOCOL"],
    ["an Admin API of version v2", 200, '{"action":"get","count":0,"node":{"nodes":[]}}', "ADMIN_PROTOCOL"],
    [
      "a list of another collection",
      200,
      '{"list":[{"key":"/apisix/consumers/a","value":{},"createdIndex":1}],"total":1}',
      "ADMIN_PROTOCOL",
    ],
    ["an empty list that Lua wrote", 200, '{"list":{},"total":0}', "a snapshot"],
    [
      "an error of the Admin API",
      503,
      '{"error_msg":"has no healthy etcd endpoint available"}',
      "ADMIN_STATUS",
    ],
    ["too many requests", 429, '{"error_msg":"slow down"}', "ADMIN_STATUS"],
  ])("tells what answers: %s", async (_, status, body, expected) => {
    await using it = await gateway();
    const reply = { status, headers: { "content-type": "application/json" }, body };
    it.server.admin.faults.add({ fault: { kind: "reply", reply } });
    expect(await code(it)).toBe(expected);
  });

  it("refuses a list that names an object of ours twice", async () => {
    await using it = await gatewayWithGroup();
    const item = { key: `/apisix/routes/${id}`, value: routeBody(), createdIndex: 1, modifiedIndex: 1 };
    const body = JSON.stringify({ list: [item, item], total: 2 });
    it.server.admin.faults.add({
      resource: "routes",
      fault: { kind: "reply", reply: { status: 200, headers: {}, body } },
    });
    expect(await code(it)).toBe("ADMIN_PROTOCOL");
  });

  it("refuses an object that is nested without end", async () => {
    await using it = await gatewayWithGroup();
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    const value = JSON.stringify(routeBody()).replace(/}$/, `,"vars":${deep}}`);
    const body = `{"list":[{"key":"/apisix/routes/${id}","value":${value},"createdIndex":1}],"total":1}`;
    it.server.admin.faults.add({
      resource: "routes",
      fault: { kind: "reply", reply: { status: 200, headers: {}, body } },
    });
    expect(await code(it)).toBe("ADMIN_PROTOCOL");
  });

  it("names a refused key, and never shows it", async () => {
    await using it = await gateway();
    it.server.admin.faults.add({ fault: { kind: "wrong-key" } });
    const error: unknown = await it.look().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "ADMIN_STATUS", status: 401 });
    expect(String(error)).toContain("admin key");
    expect(String(error)).not.toContain(it.server.adminKey);
  });

  it("says so when etcd is down, or nobody is there", async () => {
    await using it = await gateway();
    it.server.admin.faults.setEtcd("down");
    expect(await code(it)).toBe("ADMIN_STATUS");
    await it.server.close();
    expect(await code(it)).toBe("ADMIN_CONNECTION");
  });
});
