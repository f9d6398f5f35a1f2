import { afterEach, describe, expect, it } from "vitest";
import { many } from "../scenarios/pods.ts";
import { clusterSecret } from "../scenarios/cluster-secret.ts";
import { errandWorld, led, nowhere, run } from "./errand-world.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** `home` in the configuration, `east` in a Secret of it, two routes of each; no instance runs any more. */
async function left(): Promise<Awaited<ReturnType<typeof errandWorld>>> {
  const world = await errandWorld(closers, { cluster: "home" }, (clusters) => ({
    clusters: clusters.slice(0, 1),
    clusterSecrets: { cluster: "home" },
  }));
  const { fleet, gateway, config } = world;
  for (const { name, store } of fleet.clusters) for (const each of many(name, 2)) store.create("pods", each);
  const kubeconfig = fleet.cluster("east").server.kubeconfig();
  fleet.cluster("home").store.create("secrets", clusterSecret("east", { kubeconfig }));
  const stop = led(config);
  await expect.poll(() => gateway.admin.store.size("routes")).toBe(4);
  expect(await stop()).toBe(0);
  return world;
}

const here = (config: string): string[] => ["--server", nowhere, "--config", config];

describe("where no instance runs and clusters come out of Secrets", () => {
  it("a cluster that its Secret names and that answers is not purged, and one whose Secret is gone is", async () => {
    const { fleet, gateway, config } = await left();
    const purge = ["purge", "--cluster", "east", "--yes", ...here(config)];
    expect(await run(purge)).toMatchObject({
      ...{ code: 1, out: "" },
      err: expect.stringContaining("cluster east is in the configuration, and answers"),
    });
    expect(gateway.admin.store.size("routes")).toBe(4);
    fleet.cluster("home").store.remove("secrets", "apisix-translator/east");
    expect(await run(purge)).toMatchObject({ code: 0, out: "east: 2 groups deleted\n" });
    expect(gateway.admin.store.size("routes")).toBe(2);
  });

  it("one that is rebuilt is accepted", async () => {
    const { fleet, config } = await left();
    fleet.cluster("east").server.faults.identity = "rebuilt";
    expect(await run(["cluster", "accept", "east", ...here(config)])).toMatchObject({
      ...{
        code: 0,
        out: expect.stringMatching(/^east is the cluster rebuilt, and was .*: 2 upstreams relabelled\n/),
      },
    });
  });

  it("while these cannot be listed nothing is purged, accepted or advised, and plan says what it may lack", async () => {
    const { fleet, gateway, config } = await left();
    fleet.cluster("home").server.access.forbidden.add("secrets");
    const why =
      /whether east is in the configuration is not known: the cluster Secrets .* cannot be listed: .*403/;
    for (const words of [
      ["purge", "--cluster", "east", "--yes"],
      ["cluster", "accept", "east"],
    ])
      expect(await run([...words, ...here(config)])).toMatchObject({
        ...{ code: 1, out: "", err: expect.stringMatching(why) },
      });
    expect(gateway.admin.store.size("routes")).toBe(4);
    const planned = await run(["plan", "--config", config]);
    expect(planned.err).toMatch(
      /there may be clusters that are not in this plan: .* cannot be listed: .*403/,
    );
    expect(planned.out).toMatch(why);
    expect(planned.out + planned.err).not.toContain("purge --cluster");
  });
});
