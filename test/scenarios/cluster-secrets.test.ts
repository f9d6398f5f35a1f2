import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { statusFault } from "../../src/sim/kubernetes/faults.ts";
import { withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { clusterSecret } from "./cluster-secret.ts";
import { many } from "./pods.ts";

/** `home` in the configuration, `east` and `west` to be found in Secrets of it; three Pods in each. */
async function started(before: (pipeline: Pipeline) => void = () => {}): Promise<Pipeline> {
  return Pipeline.start(["home", "east", "west"], {
    settings: { without: ["east", "west"], clusterSecrets: { cluster: "home" } },
    before: (pipeline) => {
      for (const { name, store } of pipeline.fleet.clusters)
        for (const each of many(name, 3)) store.create("pods", each);
      before(pipeline);
    },
    speed: 10,
  });
}

const kubeconfig = (pipeline: Pipeline, name: string, token?: string): string =>
  pipeline.cluster(name).server.kubeconfig(token === undefined ? {} : { token });

const put = (pipeline: Pipeline, name: string, data: Readonly<Record<string, string>>): void => {
  const { store } = pipeline.cluster("home").server;
  const key = `apisix-translator/${name}`;
  if (store.get("secrets", key) === undefined) store.create("secrets", clusterSecret(name, data));
  else store.patch("secrets", key, (held) => ({ ...clusterSecret(name, data), metadata: held.metadata }));
};

const watched = (pipeline: Pipeline): string[] => pipeline.controller.config.clusters.map(({ name }) => name);

it("clusters come with their Secrets, follow them, and go with them: what stands of them stays", async () => {
  const pipeline = await started((before) =>
    put(before, "first", { kubeconfig: kubeconfig(before, "east"), options: "name: east\nweight: 100" }),
  );
  await pipeline.reconciled(6);
  put(pipeline, "west", { kubeconfig: kubeconfig(pipeline, "west") });
  await pipeline.until("nine routes", () => pipeline.routes().length === 9);
  expect(watched(pipeline)).toEqual(["home", "east", "west"]);
  const from = pipeline.mark;

  pipeline.cluster("home").store.remove("secrets", "apisix-translator/first");
  await pipeline.until("east is gone", () => watched(pipeline).length === 2);
  await pipeline.caughtUp(["home", "west"]);
  put(pipeline, "first", { kubeconfig: kubeconfig(pipeline, "east"), options: "name: east" });
  await pipeline.until("east is seen", () => pipeline.controller.intake.sees("east", "pods"));
  await pipeline.idle();
  expect(pipeline.writesSince(from)).toEqual([]);

  await pipeline.restart();
  await pipeline.reconciled();
  await pipeline.caughtUp(["home", "east", "west"]);
  expect(pipeline.writesSince(from)).toEqual([]);
});

it("M4 a Secret's kubeconfig: a good one takes over without a write, a bad one changes nothing and is loud", async () => {
  const pipeline = await started((before) => put(before, "east", { kubeconfig: kubeconfig(before, "east") }));
  await pipeline.reconciled(6);
  const from = pipeline.mark;
  const { server } = pipeline.cluster("east");
  server.access.tokens.add("second-token");
  put(pipeline, "east", { kubeconfig: kubeconfig(pipeline, "east", "second-token") });
  const said = (text: string): boolean => pipeline.log.some(({ message }) => message.includes(text));
  await pipeline.until("the new session", () => said("has proved itself"));
  server.access.tokens.delete("sim-token");

  put(pipeline, "east", { kubeconfig: kubeconfig(pipeline, "east", "third-token") });
  await pipeline.until("an alarm", () => said("cannot take over"));
  put(pipeline, "east", { kubeconfig: "clusters: [" });
  const troubles = (): string => pipeline.controller.observation.ready().degraded.join();
  await pipeline.until("the reason", () => troubles().includes("Secret apisix-translator/east: is not YAML"));
  put(pipeline, "east", { options: "weight: 7" });
  await pipeline.until("the next reason", () => troubles().includes("data.kubeconfig is missing"));
  expect(pipeline.writesSince(from)).toEqual([]);
  pipeline.store("east").patch("pods", "shop/east-0", (object) => withReady(object, false));
  await pipeline.caughtUp(["home", "east"]);
  expect(pipeline.namedSince(from)).toEqual(["PUT upstreams east/shop/east-0/web"]);
});

it("Secrets that cannot be used harm their own cluster only, each with its reason", async () => {
  const exec = { name: "u", user: { exec: { command: "steal" } } };
  const pipeline = await started((before) => {
    const good = kubeconfig(before, "east");
    put(before, "home", { kubeconfig: good });
    put(before, "not-yaml", { kubeconfig: "{" });
    put(before, "no-kubeconfig", { options: "weight: 7" });
    put(before, "bad-options", { kubeconfig: good, options: "weight: heavy\nkubeconfig: /etc/passwd" });
    put(before, "bad-context", { kubeconfig: good, options: "context: nowhere" });
    put(before, "nameless", { kubeconfig: good, options: "name: Not A Label" });
    put(before, "runs", {
      kubeconfig: good
        .replace(/"users": \[[^\]]*\]/s, `"users": [${JSON.stringify(exec)}]`)
        .replaceAll(/"user": "translator@east"/g, '"user": "u"'),
    });
    put(before, "east", { kubeconfig: good });
  });
  await pipeline.reconciled(6);
  const { degraded } = pipeline.controller.observation.ready();
  const expected = [
    /^bad-context: kubeconfig Secret apisix-translator\/bad-context: has no context "nowhere"/,
    /^bad-options: .*options.kubeconfig: unknown key.*options.weight: got "heavy"/,
    /^no-kubeconfig: .*data.kubeconfig is missing/,
    /^not-yaml: .*is not YAML/,
    /^runs: .*exec is not allowed here/,
    /Secret apisix-translator\/home: the name home is taken by the configuration/,
    /Secret apisix-translator\/nameless: .*options.name/,
  ];
  for (const pattern of expected) expect(degraded).toContainEqual(expect.stringMatching(pattern));
  expect(watched(pipeline)).toContain("east");
});

it("while the Secrets cannot be listed, the clusters that are known stay", async () => {
  const pipeline = await started((before) => put(before, "east", { kubeconfig: kubeconfig(before, "east") }));
  await pipeline.reconciled(6);
  const from = pipeline.mark;
  const { server } = pipeline.cluster("home");
  const mend = server.faults.onRequest({ resource: "secrets" }, statusFault(403));
  for (const watch of server.traffic.openWatches("secrets")) watch.fail(410);
  const troubles = (): string => pipeline.controller.observation.ready().degraded.join();
  await pipeline.until("the reason", () => /clusterSecrets: .*403/.test(troubles()));
  expect(watched(pipeline)).toEqual(["home", "east"]);
  pipeline.cluster("home").store.remove("secrets", "apisix-translator/east");
  mend();
  await pipeline.until("east is gone", () => watched(pipeline).length === 1);
  await pipeline.idle();
  expect(pipeline.writesSince(from)).toEqual([]);
});

it.each([
  [
    "are refused",
    (pipeline: Pipeline): void => {
      pipeline.cluster("home").server.access.forbidden.add("secrets");
    },
    "403",
  ],
  [
    "are behind a cluster that is away",
    (pipeline: Pipeline): Promise<void> => pipeline.cluster("home").server.stop(),
    "connect",
  ],
] as const)(
  "what Secrets that %s since the start name is unknown, and not gone: no purge is advised, and none done",
  async (_, hide, reason) => {
    const pipeline = await started((before) =>
      put(before, "east", { kubeconfig: kubeconfig(before, "east") }),
    );
    await pipeline.reconciled(6);
    const from = pipeline.mark;
    await pipeline.stopController();
    await hide(pipeline);
    await pipeline.restart();
    await pipeline.reconciled();
    const { decisions, observation } = pipeline.controller;
    const why = new RegExp(
      `whether east is in the configuration is not known: .*cannot be listed: .*${reason}`,
    );
    expect(observation.whyUnseen("east")).toMatch(why);
    const [told] = await pipeline.explain("east-0.example.com");
    expect(told).toMatchObject({ state: "Frozen", reason: expect.stringMatching(why) });
    expect(told?.reason).not.toContain("purge --cluster");
    const refused = { ok: false, status: 409, error: expect.stringMatching(why) };
    expect(await decisions.purge("east")).toMatchObject(refused);
    expect(await decisions.accept("east")).toMatchObject(refused);
    await pipeline.idle();
    expect(pipeline.writesSince(from)).toEqual([]);
  },
);

it("of a Secret that does not say what its cluster is called, it may be any: none is purged until it is mended", async () => {
  const pipeline = await started((before) =>
    put(before, "first", { kubeconfig: kubeconfig(before, "east"), options: "name: east" }),
  );
  await pipeline.reconciled(6);
  put(pipeline, "first", { kubeconfig: kubeconfig(pipeline, "east"), options: "name: [east" });
  await pipeline.restart();
  await pipeline.reconciled();
  const { decisions } = pipeline.controller;
  expect(await decisions.purge("east")).toMatchObject({
    ...{ ok: false, status: 409, error: expect.stringContaining("Secret apisix-translator/first") },
  });
  pipeline.cluster("home").store.remove("secrets", "apisix-translator/first");
  await pipeline.until(
    "it is known to be gone",
    () => pipeline.controller.clusters.lookUp("east").is === "absent",
  );
  expect(await decisions.purge("east")).toMatchObject({ ok: true, groups: 3, left: 0 });
});

it("a name that two Secrets have belongs to the first; when that one goes, the other's cluster is another one", async () => {
  const pipeline = await started((before) => {
    put(before, "a", { kubeconfig: kubeconfig(before, "east"), options: "name: shared" });
    put(before, "b", { kubeconfig: kubeconfig(before, "west"), options: "name: shared" });
  });
  await pipeline.reconciled(6);
  const troubles = (): string => pipeline.controller.observation.ready().degraded.join();
  expect(troubles()).toContain("the name shared is taken by Secret apisix-translator/a");
  const from = pipeline.mark;
  pipeline.cluster("home").store.remove("secrets", "apisix-translator/a");
  // What APISIX knows under the name is the first one: nothing of it may be touched.
  await pipeline.until("refused", () => troubles().includes("another cluster answers under this name"));
  await pipeline.idle();
  expect(pipeline.writesSince(from)).toEqual([]);
});

it("M3 Secrets of another cluster than the home is known as are not read; those of its own are, once its kubeconfig leads to it", async () => {
  const pipeline = await started((before) => put(before, "east", { kubeconfig: kubeconfig(before, "east") }));
  await pipeline.reconciled(6);
  const stray = clusterSecret("stray", { kubeconfig: kubeconfig(pipeline, "west") });
  pipeline.store("west").create("secrets", stray);
  const { kubeconfigPath } = pipeline.cluster("home");
  await writeFile(kubeconfigPath, kubeconfig(pipeline, "west"));
  const from = pipeline.mark;
  await pipeline.restart();
  await pipeline.until("refused", () => pipeline.controller.intake.refusal("home") !== undefined);
  await pipeline.reconciled();
  expect(watched(pipeline)).toEqual(["home"]);
  const troubles = (): string => pipeline.controller.observation.ready().degraded.join();
  expect(troubles()).toContain("clusterSecrets: another cluster answers as home");
  expect(await pipeline.controller.decisions.purge("east")).toMatchObject({ ok: false, status: 409 });
  expect(pipeline.writesSince(from)).toEqual([]);

  pipeline.store("east").remove("pods", "shop/east-0");
  await writeFile(kubeconfigPath, kubeconfig(pipeline, "home"));
  await pipeline.until("one less", () => pipeline.routes().length === 5);
  expect(watched(pipeline)).toEqual(["home", "east"]);
  expect(troubles()).toBe("");
});

it("M3 cluster accept of the home: its Secrets are followed under the new identity, and what was found in them stays", async () => {
  const pipeline = await started((before) => put(before, "east", { kubeconfig: kubeconfig(before, "east") }));
  await pipeline.reconciled(6);
  const { server } = pipeline.cluster("home");
  server.faults.identity = "rebuilt";
  for (const watch of server.traffic.openWatches()) watch.cut();
  const troubles = (): string => pipeline.controller.observation.ready().degraded.join();
  await pipeline.until("the reason", () => /clusterSecrets: another cluster answers/.test(troubles()));
  const from = pipeline.mark;
  expect(await pipeline.controller.decisions.accept("home")).toMatchObject({ ok: true, relabelled: 3 });
  put(pipeline, "west", { kubeconfig: kubeconfig(pipeline, "west") });
  await pipeline.until("nine routes", () => pipeline.routes().length === 9);
  expect(watched(pipeline)).toEqual(["home", "east", "west"]);
  await pipeline.until("no trouble", () => troubles() === "");
  expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 6, "PUT routes": 3 });
});
