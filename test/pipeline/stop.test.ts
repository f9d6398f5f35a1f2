import { expect, it } from "vitest";
import { Pipeline } from "./pipeline.ts";

it("a translator that is stopped at any moment of its start ends without a fault", async () => {
  const pipeline = await Pipeline.start(["east", "west"]);
  for (const moment of ["at once", "a turn later", "shards are up", "clusters are watched"] as const) {
    if (moment === "a turn later") await new Promise((resolve) => setImmediate(resolve));
    if (moment === "shards are up") await pipeline.until(moment, () => pipeline.controller.watches.size > 0);
    if (moment === "clusters are watched")
      await pipeline.until(moment, () => pipeline.controller.intake.uids.size === 2);
    await pipeline.restart();
  }
  await pipeline.reconciled();
  expect(pipeline.log.filter(({ level }) => level === "error")).toEqual([]);
});
