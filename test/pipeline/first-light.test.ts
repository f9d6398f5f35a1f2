import { expect, it } from "vitest";
import { withReady } from "../../src/sim/kubernetes/pod.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "./pipeline.ts";

const declared = (name: string, host: string, ip = "10.0.0.1") =>
  pod({ namespace: "shop", name, ip, routes: [{ name: "web", port: 8080, host }] });

it("Pods of two clusters become routes, follow every change, and a restart writes nothing", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    before: ({ fleet }) => {
      fleet.cluster("east").store.create("pods", declared("web-0", "a.example.com"));
      fleet.cluster("west").store.create("pods", declared("web-0", "b.example.com", "10.1.0.1"));
    },
  });
  await pipeline.reconciled();
  expect(pipeline.pairs()).toEqual(["a.example.com /*", "b.example.com /*"]);
  expect(pipeline.nodesOf("b.example.com")).toEqual(["10.1.0.1:8080"]);
  expect(pipeline.writesSince(0).toSorted()).toEqual([
    "PUT routes",
    "PUT routes",
    "PUT upstreams",
    "PUT upstreams",
  ]);

  const before = pipeline.writes.length;
  pipeline.store("east").patch("pods", "shop/web-0", (object) => withReady(object, false));
  await pipeline.until("no nodes", () => pipeline.nodesOf("a.example.com")?.length === 0);
  expect(pipeline.writesSince(before)).toEqual(["PUT upstreams"]);

  await pipeline.caughtUp();
  const standing = pipeline.writes.length;
  await pipeline.restart();
  await pipeline.reconciled();
  await pipeline.caughtUp();
  expect(pipeline.writesSince(standing)).toEqual([]);
});
