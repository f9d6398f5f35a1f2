import { expect, it } from "vitest";
import { parseTarget } from "../../src/observe/target.ts";
import { withAnnotations, withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { host, member, start } from "./fleet-group.ts";
import { born, entry, web } from "./pods.ts";

it("an object with the label is told apart from one that is not seen, and what is declared from what stands", async () => {
  const bare = withAnnotations(web("bare", "bare.example.com"), { "apisix-translator.io/routes": null });
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    before: ({ fleet }) => {
      const { store } = fleet.cluster("east");
      store.create("pods", bare);
      store.create("pods", web("none", "", { routes: [] }));
      store.create("pods", web("first", "a.example.com", { created: born(1) }));
      store.create("pods", web("second", "b.example.com", { created: born(2) }));
    },
  });
  await pipeline.reconciled();
  const unknown = async (name: string): Promise<string | undefined> => {
    const parsed = parseTarget(`east/shop/pod/${name}`);
    return parsed.ok ? (await pipeline.controller.observation.explain(parsed.target)).unknown : "no target";
  };
  expect(await unknown("bare")).toBe("it has the label, and no annotation apisix-translator.io/routes");
  expect(await unknown("none")).toBe("its annotation apisix-translator.io/routes declares nothing");
  expect(await unknown("nobody")).toContain("is seen");

  const [before] = await pipeline.explain("east/shop/pod/second");
  expect(before).not.toHaveProperty("stands");
  pipeline
    .store("east")
    .patch("pods", "shop/second", (object) => withRoutes(object, [entry("a.example.com")]));
  await pipeline.caughtUp();
  const [after] = await pipeline.explain("east/shop/pod/second");
  expect(after).toMatchObject({
    ...{ state: "Conflict", hosts: ["a.example.com"] },
    stands: { hosts: ["b.example.com"], uris: ["/*"] },
  });
});

it("after a restart while a cluster is away a member that asks for another host than its group's stands as before, and is found by it", async () => {
  const pipeline = await start();
  const other = "other.example.com";
  pipeline.store("west").update("pods", member(3, { host: other, retries: 5 }));
  await pipeline.caughtUp();
  await pipeline.stopController();
  await pipeline.cluster("east").server.stop();
  await pipeline.restart();
  await pipeline.reconciled();
  await pipeline.caughtUp(["west"]);
  const kept = "from its group's settings, which are kept as they stand";
  expect(await pipeline.explain(other)).toMatchObject([
    { name: "p-3", state: "SpecMismatch", reason: `differs in host ${kept}`, stands: { hosts: [host] } },
  ]);
  expect(await pipeline.statesOf("west/shop/pod/p-2")).toEqual(["SpecMismatch"]);
  pipeline.store("west").update("pods", member(2, { retries: 5 }));
  await pipeline.caughtUp(["west"]);
  expect(await pipeline.statesOf("west/shop/pod/p-2")).toEqual(["Routed"]);
});
