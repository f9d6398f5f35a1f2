import { describe, expect, it } from "vitest";
import { endpointSlice } from "../../src/sim/kubernetes/endpoint-slice.ts";
import { service } from "../../src/sim/kubernetes/service.ts";
import { find, stand, world, wrongs } from "./doctor-world.ts";

describe("doctor", () => {
  it("finds that all is well, says what it found, and shows on standard error what it looks at", async () => {
    const { fleet, gateway, run } = await world("east", "west");
    const { code, checks, err } = await run();
    expect(wrongs(checks)).toEqual([]);
    expect(code).toBe(0);
    expect(checks.filter(({ target }) => target === "east").map(({ check }) => check)).toEqual([
      ...["credentials", "reachable", "version", "clock"],
      ...["rights: pods", "rights: services", "rights: endpointslices", "rights: nodes", "rights: events"],
      ...["rights: leases", "rights: leases", "slices", "identity"],
    ]);
    expect(checks.filter(({ target }) => target === "west").map(({ check }) => check)).not.toContain(
      "rights: leases",
    );
    expect(find(checks, "west", "identity")?.detail).toBe(fleet.cluster("west").store.uid);
    expect(find(checks, "west", "version")?.detail).toBe("Kubernetes v1.37.2");
    expect(checks.filter(({ target }) => target === gateway.url).map(({ check }) => check)).toEqual([
      ...["reachable", "tls", "key", "version", "router"],
    ]);
    expect(find(checks, gateway.url, "version")?.detail).toBe("APISIX 3.18.0");
    expect(find(checks, "APISIX", "objects")?.detail).toBe(
      "0 routes and 0 upstreams of instance default, 0 routes of others",
    );
    expect(err).toContain("looking at cluster west\n");
    expect(
      fleet
        .cluster("east")
        .server.traffic.requests.every(({ verb }) => verb === undefined || verb === "list" || verb === "get"),
    ).toBe(true);
  });

  it("tells people what is wrong, what to do, and how much is", async () => {
    const { fleet, run } = await world("east");
    fleet.cluster("east").server.access.forbidden.add("events");
    const { code, out } = await run({}, { text: true });
    expect(code).toBe(1);
    expect(out).toContain("east\n  ok     credentials");
    expect(out).toMatch(
      /^ {2}wrong {2}rights: events +not allowed: create, patch\n {9}→ grant create, patch on events of events\.k8s\.io/m,
    );
    expect(out).toMatch(/\n\n1 of \d+ checks is wrong\n$/);
  });

  it("marks for people what is well and has something to be done", async () => {
    const { fleet, gateway, run } = await world("east");
    await stand(gateway, "gone", "u-1");
    const { store } = fleet.cluster("east");
    const labels = { "apisix-translator.io/enabled": "true" };
    const about = { namespace: "shop", name: "web" };
    store.create("services", service({ ...about, routes: [] }));
    store.create("endpointslices", endpointSlice({ ...about, service: "web", endpoints: [], labels }));
    const { code, out } = await run({}, { text: true });
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}note {3}clusters that left +gone \(1 group\)\n {9}→ add these/m);
    expect(out).toMatch(/^ {2}ok {5}slices +1 Service that opted in, with slices$/m);
  });

  it("finds a key that is refused, an Admin API that is away, and something else in its place", async () => {
    const { gateway, fleet, run } = await world("east");
    expect(wrongs((await run({}, { key: "wrong-key" })).checks)).toEqual([
      `${gateway.url}/key`,
      "APISIX/objects",
    ]);
    const away = "http://127.0.0.1:9";
    const both = await run({ gateway: { adminUrls: [away, gateway.url] } });
    expect(wrongs(both.checks)).toEqual([`${away}/reachable`]);
    const { url } = fleet.cluster("east").server;
    const strange = await run({ gateway: { adminUrls: [url] } });
    expect(strange.code).toBe(1);
    expect(wrongs(strange.checks)[0]).toMatch(/reachable$|key$/);
    expect(strange.out + both.out).not.toContain(gateway.adminKey);
  });

  it("refuses a bad configuration with exit 2, as run does", async () => {
    const { run } = await world("east");
    await expect(run({ leader: { cluster: "nobody" } }, { text: true })).resolves.toMatchObject({
      code: 2,
      out: "",
    });
  });
});
