import { expect, test } from "vitest";
import { NodeWatching } from "../src/node-watching.ts";

function watching(): { nodes: NodeWatching; said: string[] } {
  const said: string[] = [];
  const nodes = new NodeWatching({
    follow: (cluster) => said.push(`follow ${cluster}`),
    unfollow: (cluster) => said.push(`unfollow ${cluster}`),
  });
  return { nodes, said };
}

test("Nodes are followed from the first shard that wants them to the last", () => {
  const { nodes, said } = watching();
  nodes.wants(0, "east", true);
  nodes.wants(1, "east", true);
  nodes.wants(0, "east", false);
  expect(said).toEqual(["follow east"]);
  nodes.wants(1, "east", false);
  expect(said).toEqual(["follow east", "unfollow east"]);
});

test("what a lost shard wanted is followed until its successor has said everything and does not want it", () => {
  const { nodes, said } = watching();
  nodes.wants(0, "east", true);
  nodes.wants(0, "west", true);
  nodes.lost(0);
  nodes.wants(0, "east", true);
  nodes.lost(0);
  nodes.wants(0, "east", true);
  expect(said).toEqual(["follow east", "follow west"]);
  nodes.restored(0);
  expect(said).toEqual(["follow east", "follow west", "unfollow west"]);
});

test("a cluster that left and comes back is followed when somebody wants it anew", () => {
  const { nodes, said } = watching();
  nodes.wants(0, "east", true);
  nodes.leave("east");
  nodes.wants(0, "east", false);
  nodes.wants(0, "east", true);
  expect(said).toEqual(["follow east", "follow east"]);
});
