import { describe, expect, it } from "vitest";
import { endpointSlice } from "../../src/sim/kubernetes/endpoint-slice.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { service } from "../../src/sim/kubernetes/service.ts";
import { find, stand, world, wrongs } from "./doctor-world.ts";

describe("doctor", () => {
  it("goes on past a cluster without kubeconfig, one that is away and one that refuses its token", async () => {
    const { fleet, run } = await world("east", "away", "refused");
    await fleet.cluster("away").server.stop();
    fleet.cluster("refused").server.access.tokens.clear();
    const settings = {
      clusters: [
        { name: "nowhere", kubeconfig: "/nowhere/kubeconfig" },
        ...fleet.clusters.map(({ name, kubeconfigPath }) => ({ name, kubeconfig: kubeconfigPath })),
      ],
    };
    const { code, checks } = await run(settings);
    expect(code).toBe(1);
    expect(wrongs(checks)).toEqual(["nowhere/credentials", "away/reachable", "refused/credentials"]);
    expect(find(checks, "nowhere", "credentials")?.detail).toContain(
      "/nowhere/kubeconfig cannot be read: there is no such file",
    );
    expect(find(checks, "east", "identity")?.ok).toBe(true);
    const refused = checks.filter(({ target, check }) => target === "refused" && check === "credentials");
    expect(refused).toEqual([
      {
        ...{ target: "refused", check: "credentials", ok: false },
        detail: "the token or client certificate is refused (401)",
        remedy:
          "renew it (a ServiceAccount's token: kubectl create token); the other checks of this cluster were not made",
      },
    ]);
    for (const [target, check] of [
      ["nowhere", "credentials"],
      ["away", "reachable"],
    ] as const)
      expect(find(checks, target, check)?.remedy).toMatch(
        /; the other checks of this cluster were not made$/,
      );
  });

  it("asks for just the rights that the configuration needs, each where it needs it", async () => {
    const { fleet, run } = await world("east");
    const { access } = fleet.cluster("east").server;
    for (const kind of ["services", "nodes", "events", "leases", "secrets"] as const)
      access.forbidden.add(kind);
    const lean = {
      sources: { pods: true, services: false },
      events: { enabled: false },
      leader: { enabled: false },
    };
    expect(wrongs((await run(lean)).checks)).toEqual([]);
    const [cluster] = fleet.clusters;
    const full = {
      clusters: [{ name: "east", kubeconfig: cluster?.kubeconfigPath, namespaces: ["shop", "team"] }],
      clusterSecrets: { cluster: "east", namespace: "fleet" },
    };
    const { checks } = await run(full);
    expect(wrongs(checks)).toEqual([
      ...["east/rights: services", "east/rights: events"],
      ...["east/rights: leases", "east/rights: leases", "east/rights: secrets"],
    ]);
    expect(find(checks, "east", "rights: services")?.detail).toBe(
      "not allowed: list in shop, list in team, watch in shop, watch in team",
    );
    const leases = checks.filter(({ check }) => check === "rights: leases");
    expect(leases.map(({ detail }) => detail)).toEqual([
      "not allowed: get, update, watch on the Lease apisix-translator/apisix-translator in east",
      "not allowed: create in apisix-translator",
    ]);
    expect(leases[0]?.remedy).toMatch(
      /^grant get, update, watch on the Lease apisix-translator\/apisix-translator in east \(deploy\/rbac\.yaml\), or set leader\.cluster to where the Roles are; /,
    );
    expect(find(checks, "east", "rights: nodes")).toMatchObject({
      ok: true,
      detail: "not allowed: list, watch",
    });
  });

  it("finds one cluster under two names, and another one than APISIX knows", async () => {
    const { fleet, gateway, run } = await world("east", "west");
    const twin = { name: "twin", kubeconfig: fleet.cluster("east").kubeconfigPath };
    const clusters = fleet.clusters.map(({ name, kubeconfigPath }) => ({ name, kubeconfig: kubeconfigPath }));
    const twice = await run({ clusters: [...clusters, twin] });
    expect(wrongs(twice.checks)).toEqual(["twin/identity"]);
    expect(find(twice.checks, "twin", "identity")?.detail).toContain("the same cluster as east");
    fleet.cluster("west").server.faults.identity = "11111111-2222-3333-4444-555555555555";
    await stand(gateway, "west", fleet.cluster("west").store.uid);
    const other = await run();
    expect(wrongs(other.checks)).toEqual(["west/identity"]);
    expect(find(other.checks, "APISIX", "objects")?.detail).toContain(
      "0 routes and 1 upstream of instance default",
    );
    expect(
      find((await run({ clusters: [clusters[0]] })).checks, "APISIX", "clusters that left"),
    ).toMatchObject({
      ...{ ok: true, detail: "west (1 group)" },
    });
  });

  it("names Services that opted in and of which no slice does", async () => {
    const { fleet, run } = await world("east");
    const { store } = fleet.cluster("east");
    const routes = [{ name: "web", port: 80, host: "a.example.com" }];
    for (const name of ["good", "lost"])
      store.create("services", service({ namespace: "shop", name, routes }));
    const labels = { "apisix-translator.io/enabled": "true" };
    store.create(
      "endpointslices",
      endpointSlice({ namespace: "shop", service: "good", name: "good-1", endpoints: [], labels }),
    );
    const { checks } = await run();
    expect(wrongs(checks)).toEqual(["east/slices"]);
    expect(find(checks, "east", "slices")?.detail).toBe("no labelled EndpointSlice for shop/lost");
  });

  it("looks at the clusters that Secrets describe, and names the Secrets that cannot be used", async () => {
    const { fleet, run } = await world("home", "east");
    const { store } = fleet.cluster("home");
    const secret = (name: string, kubeconfig: string): void => {
      const labels = { "apisix-translator.io/cluster": "true" };
      const data = { kubeconfig: Buffer.from(kubeconfig).toString("base64") };
      store.create("secrets", { metadata: { namespace: "fleet", name, labels }, data } as KubeObject);
    };
    secret("found", fleet.cluster("east").server.kubeconfig());
    secret("broken", "");
    secret("home", fleet.cluster("home").server.kubeconfig());
    const clusters = [{ name: "home", kubeconfig: fleet.cluster("home").kubeconfigPath }];
    const clusterSecrets = { cluster: "home", namespace: "fleet" };
    const { checks } = await run({ clusters, clusterSecrets });
    expect(wrongs(checks)).toEqual(["Secret fleet/broken/content", "Secret fleet/home/content"]);
    expect(find(checks, "Secret fleet/home", "content")?.detail).toBe(
      "the name home is taken by the configuration",
    );
    expect(find(checks, "found", "credentials")?.detail).toBe("of Secret fleet/found");
    expect(find(checks, "found", "identity")?.detail).toBe(fleet.cluster("east").store.uid);
    fleet.cluster("home").server.access.forbidden.add("secrets");
    const { checks: denied } = await run({ clusters, clusterSecrets });
    expect(wrongs(denied)).toEqual(["home/rights: secrets"]);
  });
});
