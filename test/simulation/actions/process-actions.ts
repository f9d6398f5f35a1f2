import type { Action, ActionRow } from "./action.ts";

const killShard: Action = (world, random) => {
  const shard = random.int(world.setup.shards);
  const reason = random.pick(["exit", "error", "memory"] as const);
  world.process?.links.kill(shard, reason);
  return `shard ${shard} dies: ${reason}`;
};

const hangShard: Action = (world, random) => {
  const shard = random.int(world.setup.shards);
  world.process?.links.hang(shard);
  return `shard ${shard} hangs`;
};

const restart: Action = (world, random) => {
  if (world.process === undefined) return undefined;
  const isKilled = random.chance(0.5);
  world.replaceProcess(isKilled, random.between(0, 3000));
  return `the translator ${isKilled ? "is killed" : "stops"}`;
};

const approve: Action = (world) => {
  const released = world.approve();
  return released === 0 ? undefined : `an operator lets go ${released} groups`;
};

export const processActions = {
  killShard: { weight: 3, run: killShard },
  hangShard: { weight: 1, run: hangShard },
  restart: { weight: 2, run: restart },
  approve: { weight: 1, run: approve },
} as const satisfies Readonly<Record<string, ActionRow>>;
