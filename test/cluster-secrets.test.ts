import { afterEach, beforeEach, expect, it } from "vitest";
import { ClusterSecrets } from "../src/cluster-secrets.ts";
import { Secret } from "../src/config/secret.ts";
import type { LogFields } from "../src/runtime.ts";
import { silentLog, systemClock } from "../src/runtime.ts";
import { startKubeServer, type KubeServer } from "../src/sim/kubernetes/kube-server.ts";
import { connectKube } from "../src/watch/connect-kube.ts";
import { Turns } from "../src/watch/turns.ts";

let server: KubeServer;
let secrets: ClusterSecrets | undefined;

beforeEach(async () => {
  server = await startKubeServer({ name: "home" });
});

afterEach(async () => {
  await secrets?.stop();
  await server.close();
});

function put(name: string): void {
  const labels = { "apisix-translator.io/cluster": "true" };
  const kubeconfig = Buffer.from(server.kubeconfig()).toString("base64");
  const metadata = { namespace: "translator", name, labels };
  server.store.create("secrets", { metadata, data: { kubeconfig } } as Parameters<
    typeof server.store.create
  >[1]);
}

it("a Secret for which there was no room is named, and taken up when another one goes", async () => {
  const complaints: LogFields[] = [];
  const error = (fields: LogFields): void => void complaints.push(fields);
  const home = {
    ...{ name: "home", kubeconfig: undefined, context: undefined, inCluster: false, namespaces: [] },
    ...({ addressFamily: "IPv4", weight: 100, sliceSelector: "enabled" } as const),
  };
  const inline = { origin: "here", text: new Secret(server.kubeconfig()) };
  for (const name of ["a", "b", "c", "d"]) put(name);
  secrets = new ClusterSecrets({
    settings: { cluster: "home", namespace: "translator", selector: "apisix-translator.io/cluster=true" },
    ...{ home, known: () => undefined },
    connect: () => connectKube({ ...home, inline }, { clock: systemClock, env: {} }),
    ...{ clock: systemClock, random: Math.random, turns: new Turns(systemClock), mostSecrets: 2 },
    log: { ...silentLog, error, child: () => ({ ...silentLog, error }) },
    ...{ changed: () => {}, moved: () => {}, fault: (fault) => complaints.push({ fault }) },
  });
  secrets.start();
  const names = (): string[] => (secrets?.found() ?? []).map(({ cluster }) => cluster.name);
  await expect.poll(names).toEqual(["a", "b"]);
  await expect.poll(() => complaints.length).toBe(2);
  expect(secrets.troubles()).toEqual([
    "Secret translator/c: there are 2 Secrets of clusters already",
    "Secret translator/d: there are 2 Secrets of clusters already",
  ]);
  server.store.remove("secrets", "translator/a");
  await expect.poll(names).toEqual(["b", "c"]);
  expect(secrets.troubles()).toEqual(["Secret translator/d: there are 2 Secrets of clusters already"]);
  server.store.remove("secrets", "translator/d");
  await expect.poll(() => secrets?.troubles()).toEqual([]);
});
