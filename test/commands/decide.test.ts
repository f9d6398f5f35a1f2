import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { start } from "../observe/http-harness.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import { many } from "../scenarios/pods.ts";
import { errandWorld, led, nowhere, run } from "./errand-world.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** `observe.admin` of an instance, with what a test changes. */
async function admin(...over: Parameters<typeof start>): Promise<string> {
  const running = await start(...over);
  closers.push(() => running.server.stop());
  return running.admin;
}

describe("cluster accept", () => {
  it("is done by the instance that leads", async () => {
    const ran = await run(["cluster", "accept", "east", "--server", await admin()]);
    expect(ran).toEqual({
      ...{ code: 0, out: "east is the cluster u-2, and was u-1: 3 upstreams relabelled\n", err: "" },
    });
  });

  it.each([
    [["cluster"], "a verb is missing; allowed: accept"],
    [["cluster", "refuse", "east"], 'unknown verb "refuse"; allowed: accept'],
    [["cluster", "accept"], "NAME is missing"],
    [["cluster", "accept", "east", "west"], 'unexpected argument "west"'],
    [["cluster", "accept", "A B"], 'NAME got "A B"'],
  ])("%j cannot be understood", async (words, message) => {
    const ran = await run(words);
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  it("says why not, and where the leader is", async () => {
    const refusing = await admin({
      accept: () => Promise.resolve({ ok: false, status: 409, error: "it is the cluster west" }),
    });
    expect(await run(["cluster", "accept", "east", "--server", refusing])).toMatchObject({
      ...{ code: 1, out: "", err: "it is the cluster west\n" },
    });
    const standby = await admin({ role: () => "standby", leader: () => "10.0.0.1:8080" });
    const ran = await run(["cluster", "accept", "east", "--server", standby]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("it is at 10.0.0.1:8080") });
  });
});

describe("purge", () => {
  it("asks first, and does nothing but on a clear yes", async () => {
    let purged = 0;
    const server = await admin({
      purge: (cluster) => Promise.resolve({ ok: true, cluster, groups: 2, left: purged++ }),
    });
    const words = ["purge", "--cluster", "east", "--server", server];
    expect(await run(words)).toMatchObject({ code: 2, err: expect.stringContaining("allowed: --yes") });
    for (const typed of ["", "n", "east"]) {
      const ran = await run(words, typed);
      expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("nothing was purged") });
    }
    expect(purged).toBe(0);
    expect(await run(words, "yes")).toMatchObject({ code: 0, out: "east: 2 groups deleted\n" });
    const again = await run([...words, "--yes"]);
    expect(again).toMatchObject({
      ...{ code: 1, out: "east: 1 of 2 groups done\n" },
      err: "1 is still to go; the leader goes on, as soon as APISIX lets it\n",
    });
  });

  it("says that the instance has been paused meanwhile, and how to go on", async () => {
    const told = { ok: true, cluster: "east", groups: 3, parts: 0, left: 3, paused: true } as const;
    const server = await admin({ purge: () => Promise.resolve(told) });
    const ran = await run(["purge", "--cluster", "east", "--yes", "--server", server]);
    expect(ran).toMatchObject({ code: 1, out: "east: 0 of 3 groups done\n" });
    expect(ran.err).toMatch(/^3 are still to go; .*POST \/resume/);
  });

  it("says where nobody goes on with what is left", async () => {
    const told = { ok: true, cluster: "east", groups: 3, parts: 0, left: 1, ended: true } as const;
    const server = await admin({ purge: () => Promise.resolve(told) });
    const ran = await run(["purge", "--cluster", "east", "--yes", "--server", server]);
    expect(ran).toMatchObject({ code: 1, out: "east: 2 of 3 groups done\n" });
    expect(ran.err).toMatch(/^1 is still to go; .*no instance runs that goes on.*purge again/);
  });

  it.each([
    [{ groups: 1, parts: 0 }, "1 group deleted\n"],
    [{ groups: 1, parts: 1 }, "0 groups deleted, and its part of 1 shared group removed\n"],
    [{ groups: 5, parts: 2 }, "3 groups deleted, and its part of 2 shared groups removed\n"],
  ])("of %j, says what was deleted and what only lost a part", async (counts, out) => {
    const server = await admin({
      purge: (cluster) => Promise.resolve({ ok: true, cluster, left: 0, configured: false, ...counts }),
    });
    const ran = await run(["purge", "--cluster", "east", "--yes", "--server", server]);
    expect(ran).toMatchObject({ code: 0, out: `east: ${out}`, err: "" });
  });

  it("says of a cluster that is still configured that it returns", async () => {
    const server = await admin({
      purge: (cluster) =>
        Promise.resolve({ ok: true, cluster, groups: 1, parts: 0, left: 0, configured: true }),
    });
    const ran = await run(["purge", "--cluster", "east", "--yes", "--server", server]);
    expect(ran).toMatchObject({
      ...{ code: 0, out: "east: 1 group deleted\n" },
      err: "east returns with its routes unless it is taken out of the configuration\n",
    });
  });

  it("names what is missing", async () => {
    expect(await run(["purge"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--cluster is missing"),
    });
  });
});

describe("where no instance runs", () => {
  it("and no configuration is given, it says how it can be done", async () => {
    const ran = await run(["cluster", "accept", "east", "--server", nowhere]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringMatching(/no instance answers at .*--config/) });
  });

  it("and there is no election, nobody knows whether one runs: refused", async () => {
    const { config } = await errandWorld(closers, { enabled: false });
    const ran = await run(["cluster", "accept", "east", "--server", nowhere, "--config", config]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("leader.enabled") });
  });

  it("it is done under the Lease, which is given back", async () => {
    const { fleet, config } = await errandWorld(closers, { cluster: "home" });
    const words = ["cluster", "accept", "east", "--server", nowhere, "--config", config];
    const { uid } = fleet.cluster("east").store;
    expect(await run(words)).toMatchObject({
      code: 0,
      out: `nothing to accept: east is the cluster ${uid}, and no upstream says otherwise\n`,
    });
    const lease = fleet.cluster("home").store.get("leases", "apisix-translator/apisix-translator");
    expect(lease?.spec).toMatchObject({ holderIdentity: "" });
  });

  it("a purge takes its cluster's routes and its part of fleet groups, and nothing else", async () => {
    const { fleet, gateway, config } = await errandWorld(closers, { cluster: "home" });
    for (const [order, { name, store }] of fleet.clusters.entries()) {
      for (const each of many(name, 2)) store.create("pods", each);
      const routes = [{ name: "web", port: 8080, host: "shared.example.com", share: "fleet" }];
      store.create(
        "pods",
        pod({ namespace: "shop", name: "both", ip: `10.9.0.${order}`, owner: "set", routes }),
      );
    }
    const stop = led(config);
    const stands = (): string =>
      JSON.stringify(gateway.admin.store.list("upstreams").map(({ json }) => json));
    await expect.poll(() => gateway.admin.store.size("routes")).toBe(5);
    await expect.poll(stands).toMatch(/10\.9\.0\.0.*10\.9\.0\.1/);
    await stop();

    const without = readFileSync(config, "utf8").replace(/,\{"name":"east".*?\}/, "");
    await writeFile(config, without);
    const words = ["purge", "--cluster", "east", "--yes", "--server", nowhere, "--config", config];
    expect(await run(words)).toMatchObject({
      code: 0,
      out: "east: 2 groups deleted, and its part of 1 shared group removed\n",
    });
    expect(gateway.admin.store.size("routes")).toBe(3);
    expect(stands()).not.toMatch(/east|10\.9\.0\.1/);
    expect(stands()).toContain("10.9.0.0");
  });
});
