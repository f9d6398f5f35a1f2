import { afterEach, expect, it } from "vitest";
import { checkCluster } from "../../src/doctor/check-cluster.ts";
import { loadConfig } from "../../src/config.ts";
import type { Clock } from "../../src/runtime.ts";
import { systemClock } from "../../src/runtime.ts";
import { proxyFault, statusFault } from "../../src/sim/kubernetes/faults.ts";
import { startFleet } from "../../src/sim/kubernetes/fleet.ts";
import type { Fleet } from "../../src/sim/kubernetes/fleet.ts";
import { connectKube } from "../../src/watch/connect-kube.ts";

let fleet: Fleet | undefined;
afterEach(() => fleet?.close());

/** `check: detail` of all, those that are wrong marked. */
async function check(prepare: (fleet: Fleet) => void, clock: Clock = systemClock): Promise<string[]> {
  fleet = await startFleet({ clusters: ["east"] });
  prepare(fleet);
  const config = loadConfig({
    flags: [{ name: "config", value: "c" }],
    env: { APISIX_ADMIN_KEY: "k".repeat(32) },
    readFile: () =>
      JSON.stringify({
        clusters: [{ name: "east", kubeconfig: fleet?.cluster("east").kubeconfigPath }],
        gateway: { adminUrls: ["http://127.0.0.1:9"] },
      }),
  });
  const { signal } = new AbortController();
  const connect = (cluster: (typeof config.clusters)[number]) =>
    connectKube(cluster, { clock: systemClock, env: {} });
  const { findings } = await checkCluster(config.clusters[0]!, { clock, signal, config, connect });
  return findings.map(({ check: name, ok, detail }) => `${ok ? "" : "wrong "}${name}: ${detail}`);
}

const offBy = (ms: number): Clock => ({ ...systemClock, wall: () => Date.now() + ms });

it.each([
  [0, /^clock: within 2 s of ours$/],
  [10_000, /^clock: 1[01] s behind ours$/],
  [3_600_000, /^wrong clock: 3(?:600|601) s behind ours$/],
  [-3_600_000, /^wrong clock: 3(?:59\d|600) s ahead of ours$/],
])("a clock that is off by %d ms is told, and which way where it can be told", async (off, told) => {
  expect((await check(() => {}, offBy(off))).filter((line) => line.includes("clock"))).toEqual([
    expect.stringMatching(told) as string,
  ]);
});

it("an answer that took long is no difference between the clocks", async () => {
  let looks = 0;
  const clock = { ...systemClock, wall: () => Date.now() + (looks++ === 0 ? -40_000 : 40_000) };
  expect(await check(() => {}, clock)).toContain("clock: within 2 s of ours");
});

it("a cluster whose identity may not be read is asked nothing more", async () => {
  const lines = await check(({ clusters: [east] }) => {
    east?.server.faults.onRequest({ resource: "namespaces" }, statusFault(403));
  });
  expect(lines.at(-1)).toMatch(/^wrong identity: the server answered 403/);
  expect(lines.some((line) => line.startsWith("rights"))).toBe(false);
});

it("a token that is refused from the first request on is no server that cannot be reached", async () => {
  const lines = await check(({ clusters: [east] }) => {
    east?.server.faults.onRequest({}, statusFault(401));
  });
  expect(lines).toEqual([
    "reachable: it answers",
    "wrong credentials: the token or client certificate is refused (401)",
  ]);
});

it("Services that cannot be listed as they should leave the slices unlooked at, and no more", async () => {
  const lines = await check(({ clusters: [east] }) => {
    east?.server.faults.onRequest({ resource: "services" }, proxyFault(200));
  });
  expect(lines.at(-1)).toMatch(/^slices: not looked at: /);
  expect(lines.filter((line) => line.startsWith("wrong"))).toEqual([]);
});
