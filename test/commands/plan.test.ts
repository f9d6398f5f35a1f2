import { afterEach, describe, expect, it } from "vitest";
import { idOf, labelsOf } from "../../src/apisix/identity.ts";
import type { Identity } from "../../src/apisix/types.ts";
import { runCommand } from "../../src/commands/cli.ts";
import { planJson, planReport } from "../../src/commands/plan-report.ts";
import type { PlanReport } from "../../src/commands/plan-report.ts";
import { planText } from "../../src/commands/plan-text.ts";
import { startAdminServer } from "../../src/sim/admin/admin-server.ts";
import { startFleet } from "../../src/sim/kubernetes/fleet.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import type { GroupRecord } from "../../src/write/group-record.ts";
import { facts, id, identity, live, record, standing } from "../observe/facts.ts";
import { recordedIo } from "./recorded-io.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

const unread = {
  ...{
    startedAt: 0,
    finishedAt: 0,
    version: "",
    owned: new Map(),
    foreign: [],
    forged: [],
    routes: 0,
    strangers: 0,
  },
  foreignIds: { upstream: new Set<string>(), route: new Set<string>() },
};

const plan = (records: readonly GroupRecord[], over: Parameters<typeof facts>[0]): string =>
  planText(
    planReport({
      ...{ instance: "default", writes: [], snapshot: unread, problems: [], facts: facts(over) },
      whyUnseen: () => undefined,
      records: { all: () => records.values() },
    }),
  );

describe("what a plan says of a group that is left as it is", () => {
  it("is that the guard would hold its removal, with no way to approve what belongs to no running instance", () => {
    const absent = { type: "absent", grace: true, cause: "gone" } as const;
    const text = plan([record(absent, standing)], { isHeld: () => true, batch: () => "b-1" });
    expect(text).toContain(
      `= frozen   route    east/shop/pod/web-1, route web [${id}]: the guard would hold its removal\n`,
    );
    expect(text).not.toContain("approve");
  });

  it("is why its cluster is not seen, and what a group of Pods is called", () => {
    const group = { ...identity, share: "cluster", name: "" } as const;
    const text = plan([record(undefined, { ...standing, identity: group })], {
      hidden: () => "east is not seen now: connection refused",
    });
    expect(text).toContain(
      `= frozen   route    east/shop/web (group of Pods) [${id}]: east is not seen now: connection refused; what stands in APISIX is kept as it is\n`,
    );
  });

  it("names the holder in a conflict", () => {
    const blockers = [{ pair: "a.example.com /*", by: "t-2", foreign: false }];
    const text = plan([record(live())], {
      outcome: () => ({ state: "conflict", blockers }),
      title: () => "west/shop/web (group of Pods)",
    });
    expect(text).toContain(": a.example.com/* is held by west/shop/web (group of Pods)\n");
  });
});

describe("a change in a plan", () => {
  const change = { action: "create", resource: "route", id: "t-1", cluster: "east", kind: "pod" } as const;
  const place = { namespace: "shop", name: "web-1", route: "web" };
  const report = (pairs: readonly string[]) => ({
    summary: { create: 1, update: 0, delete: 0, conflict: 0, frozen: 0, invalid: 0 },
    changes: [{ ...change, ...place, pairs }],
  });

  it("says what the route answers, a few of many", () => {
    const line = "+ create   route    east/shop/pod/web-1, route web [t-1] → ";
    expect(planText(report(["a.b/"]))).toContain(`${line}a.b/\n`);
    expect(planText(report(["a.b/1", "a.b/2", "a.b/3", "a.b/4"]))).toContain(
      `${line}a.b/1 a.b/2 a.b/3 and 1 more\n`,
    );
  });

  it("has for programs the keys that it always had", () => {
    const { changes } = JSON.parse(planJson(report(["a.b/"]))) as { changes: unknown };
    expect(changes).toEqual([{ ...change, ...place }]);
  });
});

describe("plan", () => {
  it("says what would be done, and names each cluster that it could not see", async () => {
    const fleet = await startFleet({ clusters: ["east"] });
    const gateway = await startAdminServer();
    closers.push(() => fleet.close(), gateway.close);
    const { store, kubeconfigPath } = fleet.cluster("east");
    const routes = [{ name: "cart", port: 8080, host: "shop.example.com", uri: "/cart" }];
    store.create("pods", pod({ namespace: "shop", name: "web-0", ip: "10.0.0.1", routes }));
    const settings = {
      clusters: [
        { name: "east", kubeconfig: kubeconfigPath },
        { name: "west", kubeconfig: "/nowhere/west.kubeconfig" },
      ],
      gateway: { adminUrls: [gateway.url] },
      leader: { enabled: false },
    };
    const files = { "c.yaml": JSON.stringify(settings) };
    const { io, out, err } = recordedIo({ files, env: { APISIX_ADMIN_KEY: gateway.adminKey } });
    const code = await runCommand(["plan", "--config", "c.yaml"], "1.2.3", io);
    expect([code, out().replaceAll(/t-[0-9a-f]{40}/g, "t-1")]).toEqual([
      1,
      `+ create   upstream east/shop/pod/web-0, route cart [t-1]
+ create   route    east/shop/pod/web-0, route cart [t-1] → shop.example.com/cart
2 to create, 0 to update, 0 to delete, 0 conflict, 0 frozen, 0 invalid
`,
    ]);
    expect(err()).toMatch(
      /^west could not be seen: .*\/nowhere\/west\.kubeconfig.*; no change of it is in this plan$/m,
    );
    expect(gateway.admin.store.size("routes")).toBe(0);
  });

  it("has an entry for every group that stands of a cluster that cannot be seen, and for fleet groups with a part of it", async () => {
    const fleet = await startFleet({ clusters: ["east"] });
    const gateway = await startAdminServer();
    closers.push(() => fleet.close(), gateway.close);
    const { store, kubeconfigPath } = fleet.cluster("east");
    const routes = [{ name: "all", port: 8080, host: "all.example.com", share: "fleet" }];
    store.create("pods", pod({ namespace: "shop", name: "web-0", ip: "10.0.0.1", routes }));
    const group = { kind: "pod", namespace: "shop", name: "" } as const;
    const alone = { ...group, share: "none", cluster: "west", name: "web-1", route: "alone" } as const;
    const replicas = { ...group, share: "cluster", cluster: "west", route: "replicas" } as const;
    const ours = { ...group, share: "fleet", cluster: "", route: "all" } as const;
    const theirs = { ...group, share: "fleet", cluster: "", route: "theirs" } as const;
    for (const identity of [alone, replicas, ours, theirs]) await put(gateway, identity);
    const settings = {
      clusters: [
        { name: "east", kubeconfig: kubeconfigPath },
        { name: "west", kubeconfig: "/nowhere/west.kubeconfig" },
      ],
      gateway: { adminUrls: [gateway.url] },
      leader: { enabled: false },
    };
    const files = { "c.yaml": JSON.stringify(settings) };
    const { io, out } = recordedIo({ files, env: { APISIX_ADMIN_KEY: gateway.adminKey } });
    await runCommand(["plan", "--config", "c.yaml", "--output", "json"], "1.2.3", io);
    const { summary, changes } = JSON.parse(out()) as PlanReport;
    const west =
      "west is not seen now: kubeconfig /nowhere/west.kubeconfig cannot be read: there is no such file";
    const part = `${west}; its nodes, and the settings of its group, are kept as they stand`;
    const whole = `${west}; what stands in APISIX is kept as it is`;
    const frozen = changes.filter(({ action }) => action === "frozen");
    expect(
      frozen.map(({ cluster, name, route, reason }) => [cluster, name, route, reason]).toSorted(),
    ).toEqual([
      ["west", "", "all", part],
      ["west", "", "replicas", whole],
      ["west", "", "theirs", part],
      ["west", "web-1", "alone", whole],
    ]);
    expect(summary).toMatchObject({ update: 1, delete: 0, frozen: 4 });
    const people = recordedIo({ files, env: { APISIX_ADMIN_KEY: gateway.adminKey } });
    await runCommand(["plan", "--config", "c.yaml"], "1.2.3", people.io);
    const lines = people
      .out()
      .split("\n")
      .filter((line) => line.includes("shop/theirs"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(" shop/theirs (group of Pods in all clusters) [t-");
  });
});

it("plan says why something is deleted, and tells what is forbidden from what is invalid", async () => {
  const fleet = await startFleet({ clusters: ["east"] });
  const gateway = await startAdminServer();
  closers.push(() => fleet.close(), gateway.close);
  const { store, kubeconfigPath } = fleet.cluster("east");
  const declare = (name: string, ip: string, more: object): void => {
    const routes = [{ name: "web", port: 8080, host: `${name}.example.com`, ...more }];
    store.create("pods", pod({ namespace: "shop", name, ip, routes }));
  };
  declare("bad-0", "10.0.0.1", { retries: 99 });
  declare("plug-0", "10.0.0.2", { plugins: { cors: {} } });
  const alone = { share: "none", cluster: "east", kind: "pod", namespace: "shop", route: "web" } as const;
  for (const name of ["plug-0", "gone-0"]) await put(gateway, { ...alone, name });
  const settings = {
    clusters: [{ name: "east", kubeconfig: kubeconfigPath }],
    gateway: { adminUrls: [gateway.url] },
    leader: { enabled: false },
  };
  const files = { "c.yaml": JSON.stringify(settings) };
  const asked = async (...flags: string[]): Promise<string> => {
    const { io, out } = recordedIo({ files, env: { APISIX_ADMIN_KEY: gateway.adminKey } });
    await runCommand(["plan", "--config", "c.yaml", ...flags], "1.2.3", io);
    return out().replaceAll(/ \[t-[0-9a-f]{40}\]/g, "");
  };
  const text = await asked();
  expect(text).toContain("- delete   route    east/shop/pod/plug-0, route web: forbidden by policy\n");
  expect(text).toContain(
    "- delete   route    east/shop/pod/gone-0, route web: its object is gone, or its label was taken away; run deletes it after throttle.deleteGrace\n",
  );
  expect(text).toMatch(/^x forbidden route {4}east\/shop\/pod\/plug-0, route web: .*plugins/m);
  expect(text).toMatch(/^\? invalid {2}route {4}east\/shop\/pod\/bad-0, route web: retries is 99/m);
  expect(text).toMatch(/ 1 invalid, 1 forbidden\n$/);
  const { summary, changes } = JSON.parse(await asked("--output", "json")) as PlanReport;
  expect([summary.invalid, Object.keys(summary)]).toEqual([
    2,
    ["create", "update", "delete", "conflict", "frozen", "invalid"],
  ]);
  expect(changes.some((change) => "isForbidden" in change)).toBe(false);
});

it("plan writes lines for people to standard error, whatever the format of the log", async () => {
  const fleet = await startFleet({ clusters: ["east"] });
  const gateway = await startAdminServer();
  closers.push(() => fleet.close(), gateway.close);
  const { kubeconfigPath: kubeconfig } = fleet.cluster("east");
  const settings = {
    clusters: ["east", "twin"].map((name) => ({ name, kubeconfig })),
    gateway: { adminUrls: [gateway.url] },
    leader: { enabled: false },
  };
  const files = { "c.yaml": JSON.stringify(settings) };
  const { io, err } = recordedIo({ files, env: { APISIX_ADMIN_KEY: gateway.adminKey } });
  await runCommand(["plan", "--config", "c.yaml"], "1.2.3", io);
  expect(err()).toContain("a cluster is refused");
  expect(err()).not.toMatch(/^\{/m);
});

type Gateway = Awaited<ReturnType<typeof startAdminServer>>;

/** A group of ours with a node in `west`, as an earlier run has left it. */
async function put({ url, adminKey }: Gateway, identity: Identity): Promise<void> {
  const id = idOf("default", identity);
  const labels = labelsOf("default", identity);
  const node = { host: "10.9.0.1", port: 8080, weight: 100, metadata: { cluster: "west", name: "web-1" } };
  const bodies = {
    upstreams: {
      labels: { ...labels, "translator/member.west": "uid-west" },
      type: "roundrobin",
      nodes: [node],
    },
    routes: { labels, hosts: [`${identity.route}.example.com`], uris: ["/*"], upstream_id: id },
  };
  for (const [collection, body] of Object.entries(bodies)) {
    const answer = await fetch(`${url}/apisix/admin/${collection}/${id}`, {
      method: "PUT",
      headers: { "x-api-key": adminKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
  }
}
