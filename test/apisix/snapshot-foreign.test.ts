import { describe, expect, it } from "vitest";
import { sealed } from "../../src/apisix/canonical.ts";
import { idOf } from "../../src/apisix/identity.ts";
import { pairsOf } from "../../src/declare/pair.ts";
import type { AdminTransport } from "../../src/apisix/transport.ts";
import { gateway, pod, routeBody, upstreamBody, uriRoute } from "./gateway-with-group.ts";

describe("takeSnapshot", () => {
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
});
