import { describe, expect, it } from "vitest";
import { idOf } from "../../src/apisix/identity.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { gatewaySource } from "../pipeline/gateway-source.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { host, shop, slice, target } from "./services.ts";

describe("what a Service declares", () => {
  const start = (
    object: KubeObject,
    slices = [slice("web-0", ["10.0.0.1"])],
    settings = {},
  ): Promise<Pipeline> =>
    Pipeline.start(["east"], {
      ...{ memoryShards: true, settings },
      before: ({ fleet }) => {
        fleet.cluster("east").store.create("services", object);
        for (const each of slices) fleet.cluster("east").store.create("endpointslices", each);
      },
    });
  const ports = [{ name: "http", port: 80 }, { name: "dns", port: 53, protocol: "UDP" } as const];

  it.each([
    ["a number that it does not have", shop("web", { ports }, { port: 81 }), /port is 81: .*80 \(http\)/],
    ["a name that it does not have", shop("web", { ports }, { port: "web" }), /port is "web"/],
    ["a UDP port", shop("web", { ports }, { port: "dns" }), /no such TCP port/],
    ["no nodePort", shop("web", { ports }, { via: "nodePort" }), /via is "nodePort": port 80 \(http\)/],
    ["ExternalName", shop("web", { type: "ExternalName", ports: [] }), /ExternalName/],
  ])("%s: Invalid, with the reason", async (_what, object, reason) => {
    const pipeline = await start(object);
    await pipeline.reconciled();
    await pipeline.caughtUp();
    const [said] = await pipeline.explain(target);
    expect(said).toMatchObject({ state: "Invalid", reason: expect.stringMatching(reason) });
    expect(pipeline.writes).toEqual([]);
  });

  it("by name or by number, headless or not, with slices that somebody wrote by hand", async () => {
    const byName = shop("web", { clusterIP: "None", selector: null }, { port: "http" });
    const byHand = slice("mine", ["10.0.0.1"], {
      labels: { "endpointslice.kubernetes.io/managed-by": "me", app: "x" },
    });
    const pipeline = await start(byName, [byHand]);
    await pipeline.reconciled(1);
    expect(pipeline.nodesOf(host)).toEqual(["10.0.0.1:8080"]);
  });

  it("share cluster is none: the id and the labels say so", async () => {
    const pipeline = await start(shop("web", {}, { share: "cluster" }));
    await pipeline.reconciled(1);
    const identity = {
      share: "none",
      cluster: "east",
      kind: "service",
      namespace: "shop",
      name: "web",
    } as const;
    expect(pipeline.routeOf(host)).toMatchObject({
      id: idOf(gatewaySource().instance, { ...identity, route: "web" }),
      labels: { "translator/share": "none", "translator/name": "web" },
    });
  });

  it("sources.services: false: nothing of Services is watched or written", async () => {
    const pipeline = await start(shop("web"), [], { sources: { services: false } });
    await pipeline.reconciled();
    await pipeline.caughtUp();
    expect(pipeline.writes).toEqual([]);
    const { clusters } = await pipeline.controller.observation.status();
    expect(Object.keys(clusters[0]?.kinds ?? {})).toEqual(["pods"]);
  });

  it("sliceSelector none: slices without the label are seen; with the label asked for, explain says what is missing", async () => {
    const unlabelled = slice("mine", ["10.0.0.1"], { enabled: false });
    const pipeline = await start(shop("web"), [unlabelled]);
    await pipeline.reconciled(1);
    expect(pipeline.nodesOf(host)).toEqual([]);
    const [said] = await pipeline.explain(target);
    expect(said).toMatchObject({ state: "NoNodes", reason: expect.stringContaining("no EndpointSlice") });
    pipeline.configure({ clusters: { east: { sliceSelector: "none" } } });
    await pipeline.until("its node", () => pipeline.nodesOf(host)?.length === 1);
  });

  it.each([
    ["holds names", slice("web-0", ["host.example.org"], { addressType: "FQDN" }), "one of addressType FQDN"],
    ["cannot be read", slice("web-0", ["127.0.0.300"]), "one that cannot be read (which the log names)"],
  ])("a slice with the label that %s: explain says that it takes no part", async (_what, labelled, why) => {
    const pipeline = await start(shop("web"), [labelled]);
    await pipeline.reconciled(1);
    expect(pipeline.nodesOf(host)).toEqual([]);
    const [said] = await pipeline.explain(target);
    expect(said).toMatchObject({ state: "NoNodes", reason: expect.stringContaining(why) });
  });

  it("the Service goes: emptied at once, deleted after the grace; its slices' end changes nothing", async () => {
    const pipeline = await start(shop("web"));
    await pipeline.reconciled(1);
    const from = pipeline.mark;
    pipeline.store("east").remove("services", "shop/web");
    pipeline.store("east").remove("endpointslices", "shop/web-0");
    await pipeline.until("gone", () => pipeline.upstreams().length === 0);
    expect(pipeline.writesSince(from)).toEqual(["PUT upstreams", "DELETE routes", "DELETE upstreams"]);
  });
});
