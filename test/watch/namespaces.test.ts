import { describe, expect, test } from "vitest";
import { statusFault } from "../../src/sim/kubernetes/faults.ts";
import { WatchedCluster } from "./watched-cluster.ts";

/** Watched in `shop` and `bar`; a Pod `a` in each, and one in a third namespace. */
async function watchedInTwo(): Promise<WatchedCluster> {
  const watched = new WatchedCluster({ namespaces: ["shop", "bar"] });
  for (const namespace of ["shop", "bar", "elsewhere"]) watched.addPod("a", namespace);
  await watched.clock.advance(100);
  return watched;
}

const paths = (watched: WatchedCluster): string[] =>
  watched.cluster.traffic.requests.flatMap(({ path, resource }) =>
    resource === "pods" ? [path.split("?")[0] ?? ""] : [],
  );

/** Requests of one namespace fail so. */
function refuse(watched: WatchedCluster, namespace: string): () => void {
  const { faults } = watched.cluster;
  const { forRequest } = faults;
  faults.forRequest = (place) => {
    const path = watched.cluster.traffic.requests.at(-1)?.path ?? "";
    const strikes = place.resource === "pods" && path.startsWith(`/api/v1/namespaces/${namespace}/`);
    return strikes ? { delay: 0, fault: statusFault(403) } : forRequest.call(faults, place);
  };
  return () => (faults.forRequest = forRequest);
}

describe("a cluster with namespaces", () => {
  test("lists and watches each of them by itself, and says once that the kind is synced", async () => {
    const watched = await watchedInTwo();
    expect(new Set(paths(watched))).toEqual(
      new Set(["/api/v1/namespaces/shop/pods", "/api/v1/namespaces/bar/pods"]),
    );
    expect([...watched.held.keys()].toSorted()).toEqual(["bar/a", "shop/a"]);
    expect(watched.said()).toEqual(["identity", "apply", "apply", "synced"]);
    expect(watched.health).toMatchObject({ state: "synced", objects: 2 });
  });

  test("one namespace that is forbidden degrades the kind, with its name; synced when all are", async () => {
    const watched = new WatchedCluster({ namespaces: ["shop", "bar"] });
    const mend = refuse(watched, "bar");
    for (const namespace of ["shop", "bar"]) watched.addPod("a", namespace);
    await watched.clock.advance(5_000);
    expect(watched.said()).toEqual(["identity", "apply", "degraded"]);
    expect(watched.health).toMatchObject({ state: "degraded", objects: 1 });
    expect(watched.health).toHaveProperty("reason", expect.stringMatching(/^namespace bar: .*403/));
    mend();
    await watched.clock.advance(30_000);
    expect(watched.said()).toEqual(["identity", "apply", "degraded", "apply", "synced"]);
  });

  test("a relist of one of them removes nothing of the other", async () => {
    const watched = await watchedInTwo();
    watched.cluster.store.remove("pods", "bar/a");
    const [shop] = watched.cluster.traffic.openWatches("pods");
    watched.cluster.store.compact();
    shop?.fail(410);
    await watched.clock.advance(2_000);
    expect([...watched.held.keys()]).toEqual(["shop/a"]);
    expect(watched.said().slice(4)).toEqual(["delete", "apply", "synced"]);
  });

  test("namespaces that are taken in or left out later: what is left out is not said to be gone", async () => {
    const watched = await watchedInTwo();
    watched.watch.restart({ name: "east-1", namespaces: ["shop"] });
    await watched.clock.advance(100);
    expect([...watched.held.keys()].toSorted()).toEqual(["bar/a", "shop/a"]);
    watched.cluster.store.remove("pods", "bar/a");
    watched.watch.restart({ name: "east-1", namespaces: [] });
    await watched.clock.advance(100);
    expect([...watched.held.keys()].toSorted()).toEqual(["elsewhere/a", "shop/a"]);
    expect(watched.health).toMatchObject({ state: "synced", objects: 2 });
  });
});
