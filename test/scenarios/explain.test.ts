import { expect, it } from "vitest";
import { parseTarget } from "../../src/observe/target.ts";
import { withAnnotations, withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
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
