import { expect } from "vitest";
import { WatchedCluster, type WatchedOptions } from "./watched-cluster.ts";

/** A cluster of so many Pods, `web-0` on, watched and synced by WatchList. */
export async function synced(pods = 3, options: WatchedOptions = {}): Promise<WatchedCluster> {
  const watched = new WatchedCluster(options);
  watched.addPods(pods);
  await watched.clock.advance(100);
  expect(watched.health).toMatchObject({ state: "synced", objects: pods });
  return watched;
}

/** The same on a server without WatchList. */
export async function syncedInPages(pods = 3): Promise<WatchedCluster> {
  const watched = new WatchedCluster();
  watched.cluster.faults.watchList = false;
  watched.addPods(pods);
  await watched.clock.advance(100);
  expect(watched.health).toMatchObject({ state: "synced", objects: pods });
  return watched;
}

export const lists = { resource: "pods", verb: "list" } as const;
export const watches = { resource: "pods", verb: "watch" } as const;
