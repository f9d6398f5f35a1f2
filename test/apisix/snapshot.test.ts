import { describe, expect, it } from "vitest";
import { sealed } from "../../src/apisix/canonical.ts";
import { labelsOf } from "../../src/apisix/identity.ts";
import type { JsonObject } from "../../src/apisix/types.ts";
import { systemClock, type Clock } from "../../src/runtime.ts";
import {
  gateway,
  gatewayWithGroup,
  id,
  pod,
  routeBody,
  upstreamBody,
  uriRoute,
} from "./gateway-with-group.ts";

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
    expect(upstream).toMatchObject({ found: { id, nodes: [] }, nodes: 0 });
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
