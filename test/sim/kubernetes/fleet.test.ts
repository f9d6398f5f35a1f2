import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { access, stat } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { startFleet, type Fleet } from "../../../src/sim/kubernetes/fleet.ts";
import { pod } from "../../../src/sim/kubernetes/pod.ts";

let fleet: Fleet | undefined;
afterEach(() => fleet?.close());

function api(path: string): CoreV1Api {
  const config = new KubeConfig();
  config.loadFromFile(path);
  return config.makeApiClient(CoreV1Api);
}

describe("startFleet", () => {
  it("gives each cluster a kubeconfig that the official client can use", async () => {
    fleet = await startFleet({ clusters: ["east-1", "west-1"] });
    fleet.cluster("east-1").store.create("pods", pod({ namespace: "shop", name: "web-0" }));
    const [east, west] = fleet.clusters.map(({ kubeconfigPath }) => api(kubeconfigPath));
    const pods = await east?.listPodForAllNamespaces();
    expect(pods?.items.map((item) => item.metadata?.name)).toEqual(["web-0"]);
    expect((await west?.listPodForAllNamespaces())?.items).toEqual([]);
    const identity = await west?.readNamespace({ name: "kube-system" });
    expect(identity?.metadata?.uid).toBe(fleet.cluster("west-1").store.uid);
    expect(fleet.cluster("west-1").store.uid).not.toBe(fleet.cluster("east-1").store.uid);
  });

  it("names clusters by number, keeps tokens readable by the owner only, and cleans up", async () => {
    fleet = await startFleet({ clusters: 3 });
    expect(fleet.clusters.map(({ name }) => name)).toEqual(["cluster-1", "cluster-2", "cluster-3"]);
    const path = fleet.cluster("cluster-2").kubeconfigPath;
    expect((await stat(path)).mode & 0o077).toBe(0);
    expect(() => fleet?.cluster("cluster-9")).toThrow("no cluster cluster-9");
    const { folder } = fleet;
    await fleet.close();
    await expect(access(folder)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("brings a stopped server back on its port", async () => {
    fleet = await startFleet({ clusters: 1 });
    const { server, kubeconfigPath } = fleet.cluster("cluster-1");
    const { url } = server;
    await server.stop();
    await expect(api(kubeconfigPath).listPodForAllNamespaces()).rejects.toThrow();
    await server.start();
    expect(server.url).toBe(url);
    expect((await api(kubeconfigPath).listPodForAllNamespaces()).items).toEqual([]);
  });
});
