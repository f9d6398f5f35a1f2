import type { SeededRandom } from "../seeded-random.ts";
import type { World } from "../world.ts";
import type { Action, ActionRow } from "./action.ts";
import { objectActions } from "./object-actions.ts";

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

/** Mostly who leads; sometimes whoever stands by. */
function processOf(world: World, random: SeededRandom): World["process"] {
  return random.chance(0.7) ? world.process : random.maybe(world.processes.living);
}

const restart: Action = (world, random) => {
  const process = processOf(world, random);
  if (process === undefined) return undefined;
  const isKilled = random.chance(0.5);
  world.processes.replace(process, isKilled, random.between(0, 3000));
  return `t${process.term} ${isKilled ? "is killed" : "stops"}`;
};

/** As by SIGSTOP, or on a machine that sleeps. Where nobody else can lead meanwhile, not for long. */
const freeze: Action = (world, random) => {
  const process = processOf(world, random);
  if (process === undefined || process.gate.isFrozen) return undefined;
  const ms = random.pick(world.setup.elects ? [3000, 12_000, 20_000, 60_000] : [500, 3000, 12_000]);
  const drawn = ms * random.between(0.7, 1.3);
  // In the middle of its work.
  for (let left = random.int(4); left > 0; left--) objectActions.edit.run(world, random);
  world.later(random.between(0, 300), () => world.processes.freeze(process, drawn));
  return `t${process.term} is frozen for ${(drawn / 1000).toFixed(1)} s`;
};

const jumpClock: Action = (world, random) => {
  const process = processOf(world, random);
  if (process === undefined) return undefined;
  process.gate.wallError = random.pick([0, 3_600_000, -3_600_000, 86_400_000 * 365]);
  return `the wall clock of t${process.term} is wrong by ${process.gate.wallError / 1000} s`;
};

const approve: Action = (world) => {
  const released = world.operator.approve();
  return released === 0 ? undefined : `an operator lets go ${released} groups`;
};

/** `POST /pause`, and `/resume` after a while. */
const pause: Action = (world, random) => {
  const { process } = world;
  if (process === undefined || process.gate.isFrozen) return undefined;
  const ms = random.pick([1000, 15_000, 60_000]) * random.between(0.7, 1.3);
  process.pause();
  world.later(ms, () => process.resume());
  return `an operator pauses t${process.term} for ${(ms / 1000).toFixed(1)} s`;
};

export const processActions = {
  killShard: { weight: 3, run: killShard },
  hangShard: { weight: 1, run: hangShard },
  restart: { weight: 2, run: restart },
  freeze: { weight: 2, run: freeze },
  jumpClock: { weight: 0.5, run: jumpClock },
  pauseWrites: { weight: 0.7, run: pause },
  approve: { weight: 1, run: approve },
} as const satisfies Readonly<Record<string, ActionRow>>;
