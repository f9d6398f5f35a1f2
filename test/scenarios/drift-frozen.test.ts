import { expect, it } from "vitest";
import { Pipeline } from "../pipeline/pipeline.ts";
import { entry, web } from "./pods.ts";

const host = "a.example.com";

it("A7 a digest label that somebody edits is left while its declaration is Invalid, and restored with what is declared again", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    before: (starting) => void starting.store("east").create("pods", web("a", host)),
  });
  await pipeline.reconciled();
  const declare = (fields: Record<string, unknown>): void => {
    const pod = web("a", host, { routes: [entry(host, fields)] });
    pipeline.store("east").patch("pods", "shop/a", () => pod);
  };
  declare({ retries: 99 });
  await pipeline.until("Invalid", async () => (await pipeline.statesOf("east/shop/pod/a"))[0] === "Invalid");
  // A new leader has what stands alone to go by.
  await pipeline.restart();
  await pipeline.reconciled();
  const id = String(pipeline.routeOf(host)?.["id"]);
  const standing = (): Record<string, unknown> | undefined =>
    pipeline.gateway.admin.store.get("upstreams", id)?.value;
  const { labels, create_time: _, update_time: __, ...stood } = standing() ?? {};
  const edited = { ...(labels as object), "translator/digest": "another" };
  pipeline.asStranger("PUT", `upstreams/${id}`, { ...stood, labels: edited });
  const from = pipeline.mark;
  await pipeline.controller.observation.audit();
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);

  declare({});
  await pipeline.until("restored", () => pipeline.mark > from);
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams"]);
  expect(standing()).toMatchObject({ labels });
});
