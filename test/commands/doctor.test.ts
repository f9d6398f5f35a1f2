import { afterEach, describe, expect, it } from "vitest";
import { sealed } from "../../src/apisix/canonical.ts";
import { idOf, labelsOf } from "../../src/apisix/identity.ts";
import { memberLabelPrefix } from "../../src/apisix/labels.ts";
import { runCommand } from "../../src/commands/cli.ts";
import type { Check } from "../../src/doctor/check.ts";
import { startAdminServer } from "../../src/sim/admin/admin-server.ts";
import type { AdminServer } from "../../src/sim/admin/admin-server.ts";
import { endpointSlice } from "../../src/sim/kubernetes/endpoint-slice.ts";
import { startFleet } from "../../src/sim/kubernetes/fleet.ts";
import type { Fleet } from "../../src/sim/kubernetes/fleet.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { service } from "../../src/sim/kubernetes/service.ts";
import { recordedIo } from "./recorded-io.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

interface World {
  readonly fleet: Fleet;
  readonly gateway: AdminServer;
  /** `settings`: of the configuration file; `key`: the admin key. */
  run(
    settings?: object,
    options?: { readonly text?: boolean; readonly key?: string },
  ): Promise<{ code: number; out: string; err: string; checks: readonly Check[] }>;
}

async function world(...names: string[]): Promise<World> {
  const fleet = await startFleet({ clusters: names });
  const gateway = await startAdminServer();
  closers.push(() => fleet.close(), gateway.close);
  const clusters = fleet.clusters.map(({ name, kubeconfigPath }) => ({ name, kubeconfig: kubeconfigPath }));
  return {
    fleet,
    gateway,
    async run(settings = {}, { text = false, key = gateway.adminKey } = {}) {
      const leader = { cluster: names[0] };
      const file = { clusters, gateway: { adminUrls: [gateway.url] }, leader, ...settings };
      const files = { "c.yaml": JSON.stringify(file) };
      const { io, out, err } = recordedIo({ files, env: { APISIX_ADMIN_KEY: key } });
      const code = await runCommand(
        ["doctor", "--config", "c.yaml", ...(text ? [] : ["--output", "json"])],
        "1.2.3",
        io,
      );
      const { checks = [] } = text ? {} : (JSON.parse(out()) as { checks: Check[] });
      return { code, out: out(), err: err(), checks };
    },
  };
}

/** `target/check`, of those that are wrong. */
const wrongs = (checks: readonly Check[]): string[] =>
  checks.filter(({ ok }) => !ok).map(({ target, check }) => `${target}/${check}`);

const find = (checks: readonly Check[], target: string, check: string): Check | undefined =>
  checks.find((each) => each.target === target && each.check === check);

/** An upstream of ours for a Pod of this cluster, as an earlier `run` left it. */
async function stand(gateway: AdminServer, cluster: string, uid: string): Promise<void> {
  const identity = {
    share: "none",
    cluster,
    kind: "pod",
    namespace: "shop",
    name: "p",
    route: "web",
  } as const;
  const labels = { ...labelsOf("default", identity), [`${memberLabelPrefix}${cluster}`]: uid };
  const { text } = sealed({ type: "roundrobin", nodes: [], labels });
  const answer = await fetch(`${gateway.url}/apisix/admin/upstreams/${idOf("default", identity)}`, {
    ...{ method: "PUT", headers: { "x-api-key": gateway.adminKey }, body: text },
  });
  expect(answer.status).toBe(201);
}

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

  it("refuses a bad configuration with exit 2, as run does", async () => {
    const { run } = await world("east");
    await expect(run({ leader: { cluster: "nobody" } }, { text: true })).resolves.toMatchObject({
      code: 2,
      out: "",
    });
  });
});
