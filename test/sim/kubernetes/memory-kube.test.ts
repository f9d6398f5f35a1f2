import { describe, expect, it } from "vitest";
import { EmbeddedCluster } from "../../../src/sim/kubernetes/embedded-cluster.ts";
import { memoryKube } from "../../../src/sim/kubernetes/memory-kube.ts";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import { WatchReader } from "./harness.ts";
import { HybridClock } from "./hybrid-clock.ts";

/** Lets everything that needs no time happen. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

function newCluster(): { readonly cluster: EmbeddedCluster; readonly clock: HybridClock } {
  const clock = new HybridClock();
  return { cluster: new EmbeddedCluster({ name: "east-1", clock, random: () => 0.5 }), clock };
}

function request(path: string, signal = new AbortController().signal) {
  return { path, accept: "application/json", signal };
}

describe("memoryKube", () => {
  it("delivers request and answer after the latency of each way, by the clock", async () => {
    const { cluster, clock } = newCluster();
    const { transport } = memoryKube(cluster, { latency: () => 10 });
    let status = 0;
    const answer = transport()(request("/api/v1/pods")).then((response) => (status = response.status));
    clock.advance(9);
    expect(cluster.traffic.requestCount).toBe(0);
    clock.advance(1);
    expect(cluster.traffic.requestCount).toBe(1);
    clock.advance(9);
    await settle();
    expect(status).toBe(0);
    clock.advance(1);
    await answer;
    expect(status).toBe(200);
  });

  it("keeps events in order when a later one would travel faster", async () => {
    const { cluster, clock } = newCluster();
    const latencies = [0, 0, 50, 10];
    const { transport } = memoryKube(cluster, { latency: () => latencies.shift() ?? 1 });
    const response = transport()(
      request(`/api/v1/pods?watch=true&resourceVersion=${cluster.store.revision}`),
    );
    await cluster.traffic.whenWatching("pods");
    const watch = new WatchReader(await response);
    cluster.store.create("pods", pod({ name: "first" }));
    cluster.store.create("pods", pod({ name: "second" }));
    let heard = 0;
    const both = watch.take(2).then((events) => {
      heard = events.length;
      return events;
    });
    clock.advance(49);
    await settle();
    expect(heard).toBe(0);
    clock.advance(1);
    expect(await both).toEqual([expect.stringContaining("first"), expect.stringContaining("second")]);
  });

  it("calls off a request that is under way, before and after it arrived", async () => {
    const { cluster, clock } = newCluster();
    const { transport } = memoryKube(cluster, { latency: () => 10 });
    const early = new AbortController();
    const first = transport()(request("/api/v1/pods", early.signal));
    early.abort();
    await expect(first).rejects.toMatchObject({ code: "ABORTED" });
    clock.advance(100);
    expect(cluster.traffic.requestCount).toBe(0);
    const late = new AbortController();
    const second = transport()(request("/api/v1/pods", late.signal));
    clock.advance(10);
    expect(cluster.traffic.requestCount).toBe(1);
    late.abort();
    await expect(second).rejects.toMatchObject({ code: "ABORTED" });
    await expect(transport()(request("/readyz", late.signal))).rejects.toMatchObject({ code: "ABORTED" });
  });

  it("fails what hangs when the server goes", async () => {
    const { cluster } = newCluster();
    const kube = memoryKube(cluster);
    cluster.faults.onRequest({}, { type: "hang" });
    const hung = kube.transport()(request("/api/v1/pods"));
    await cluster.traffic.until(() => cluster.traffic.requestCount === 1);
    kube.stop();
    await expect(hung).rejects.toMatchObject({ code: "KUBE_CONNECTION" });
  });
});
