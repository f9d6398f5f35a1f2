import { afterEach, describe, expect, it } from "vitest";
import { clusterNames, fillFleet, hostOf } from "../../src/demo/demo-fleet.ts";
import type { Stage } from "../../src/demo/stage.ts";
import { WriteCounter } from "../../src/demo/stage.ts";
import { scenes } from "../../src/demo/story.ts";
import { startAdminServer } from "../../src/sim/admin/admin-server.ts";
import { startFleet } from "../../src/sim/kubernetes/fleet.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

const hosts = [
  ...[hostOf("web", "berlin"), hostOf("cart", "dublin"), "db-0.oslo.shop.example.com"],
  ...["db-2.oslo.shop.example.com", "db-1.tokyo.shop.example.com"],
];

/** Fleet and gateway as after a first reconcile, and no translator between them. */
async function stageWithoutTranslator(
  over: Partial<Stage> = {},
): Promise<{ stage: Stage; told: readonly string[] }> {
  const fleet = await startFleet({ clusters: clusterNames });
  const gateway = await startAdminServer();
  closers.push(() => fleet.close(), gateway.close);
  fillFleet(fleet);
  const put = (collection: string, id: string, body: object): void =>
    void gateway.admin.handle({
      ...{ method: "PUT", path: `/apisix/admin/${collection}/${id}` },
      body: JSON.stringify(body),
    });
  for (const [index, host] of hosts.entries()) {
    const nodes = [{ host: "10.0.0.1", port: 8080, weight: 1 }];
    put("upstreams", `t-${index}`, { type: "roundrobin", nodes });
    put("routes", `t-${index}`, { uri: "/*", hosts: [host], upstream_id: `t-${index}` });
  }
  const told: string[] = [];
  const stage: Stage = {
    ...{ fleet, gateway, tell: (line) => void told.push(line), writes: new WriteCounter() },
    audit: { run: () => Promise.resolve(0), trouble: undefined },
    explain: () => Promise.resolve({ declarations: [], foreign: [] }),
    signal: new AbortController().signal,
    ...over,
  };
  return { stage, told };
}

async function play(title: string, stage: Stage): Promise<void> {
  await scenes.find((scene) => scene.title === title)?.play(stage, 40);
}

describe("a scene in which the translator does nothing", () => {
  it.each([
    ["a rollout", /no upstream writes, no route writes; the last of it was not seen within 0\.0 s$/],
    [
      "a Service",
      /twenty of its Pods are replaced: no upstream writes, no route writes; the last of it was not seen/,
    ],
    ["a conflict", /what it is told was not seen within/],
    ["a typo", /mended; that it is in force was not seen within/],
    [
      "a lost cluster",
      /oslo is back: the end of data\/db-2's route and upstream was not seen within 0\.0 s; no deletes of anything else/,
    ],
    ["somebody's hand", /the audit finds no groups not as it was left; the repair was not seen within/],
  ])("tells so: %s", async (title, expected) => {
    const { stage, told } = await stageWithoutTranslator();
    await play(title, stage);
    expect(told.join("\n")).toMatch(expected);
  });

  it("waits for the upstream's end too, and tells of deletes of anything else", async () => {
    const { stage, told } = await stageWithoutTranslator();
    const { gateway, writes } = stage;
    const remove = (id: string): void => {
      gateway.admin.handle({ method: "DELETE", path: `/apisix/admin/routes/${id}` });
      writes.add({ method: "DELETE", resource: "routes", id, direct: false });
    };
    const tell = (line: string): void => {
      stage.tell(line);
      if (line.includes("unseen is not empty")) ["t-0", "t-3"].forEach(remove);
    };
    await play("a lost cluster", { ...stage, tell });
    expect(told.at(-1)).toMatch(/was not seen within 0\.0 s; 1 delete of anything else$/);
  });

  it("tells why the audit could not look", async () => {
    const audit = { run: () => Promise.resolve(undefined), trouble: "connection refused" };
    const { stage, told } = await stageWithoutTranslator({ audit });
    await play("somebody's hand", stage);
    expect(told.at(-1)).toBe("  the audit could not read APISIX: connection refused");
  });

  it("does not edit what does not stand", async () => {
    const { stage, told } = await stageWithoutTranslator();
    for (const collection of ["routes", "upstreams"])
      stage.gateway.admin.handle({ method: "DELETE", path: `/apisix/admin/${collection}/t-4` });
    await play("somebody's hand", stage);
    expect(told).toEqual(["tokyo's data/db-1 does not stand in APISIX: nobody can edit it"]);
  });
});
