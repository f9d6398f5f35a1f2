import { expect, it } from "vitest";
import { SeededRandom } from "./seeded-random.ts";
import { drawSetup } from "./setup.ts";
import { SimCluster } from "./sim-cluster.ts";
import { VirtualTime } from "./virtual-time.ts";

it("is unheard while no watch stands of what is followed, and as long as one stands that a half-open network has silenced", async () => {
  const random = new SeededRandom(1);
  const time = new VirtualTime(random, false);
  const setup = { ...drawSetup(random), clusters: ["east"], kubeLatency: 0 };
  const cluster = new SimCluster("east", setup, time, random);
  const watcher = new AbortController();
  const pass = (): Promise<void> => time.pass(1000, () => false);
  const path = `/api/v1/pods?watch=true&resourceVersion=${cluster.store.revision}`;
  const answer = cluster.line.transport()({ path, accept: "application/json", signal: watcher.signal });
  await pass();
  expect((await answer).status).toBe(200);
  expect(cluster.isUnheardBy(["pods"])).toBe(false);

  const end = cluster.silence(() => cluster.api.faults.halfOpen());
  expect(cluster.isUnheardBy([])).toBe(true);
  cluster.store.create("pods", { metadata: { namespace: "shop", name: "web" } });
  end();
  expect(cluster.isUnheardBy([])).toBe(true);

  watcher.abort();
  await pass();
  expect(cluster.isUnheardBy([])).toBe(false);
  expect(cluster.isUnheardBy(["pods"])).toBe(true);
});
