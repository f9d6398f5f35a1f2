import type { RequestFault } from "../../../src/sim/kubernetes/faults.ts";
import { proxyFault, statusFault } from "../../../src/sim/kubernetes/faults.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { World } from "../world.ts";
import type { Action, ActionRow } from "./action.ts";
import { objectActions } from "./object-actions.ts";

/** What goes wrong with the Lease alone; nothing where there is no election. */

function drawFault(random: SeededRandom): readonly [string, RequestFault] {
  const code = random.pick([401, 403, 404, 409, 429, 500, 503]);
  return random.pick<readonly [string, RequestFault]>([
    [String(code), statusFault(code, code === 429 ? 1 : undefined)],
    ["HTML with 200", proxyFault(200)],
    ["no answer", { type: "hang" }],
    ["reset", { type: "reset" }],
    ["slow", { type: "slow", ms: random.int(4000) }],
  ]);
}

/** The API server that holds the Lease cannot be asked for it, while all else is well. */
const outOfReach: Action = (world, random) => {
  const home = homeOf(world);
  if (home === undefined) return undefined;
  const [what, fault] = drawFault(random);
  const ms = random.pick([2000, 6000, 12_000, 30_000]) * random.between(0.7, 1.3);
  const end = home.api.faults.onRequest({ resource: "leases" }, fault, { chance: random.pick([0.4, 1]) });
  world.later(ms, end);
  // There is something to write all the while.
  for (let left = random.int(6); left > 0; left--)
    world.later(random.between(0, ms), () => objectActions.flip.run(world, random));
  return `the Lease: ${what} for ${(ms / 1000).toFixed(1)} s`;
};

/** A write of it is applied, and nobody is told. */
const loseAnswers: Action = (world, random) => {
  const home = homeOf(world);
  if (home === undefined) return undefined;
  const times = 1 + random.int(4);
  const fault: RequestFault = { type: "truncate", bytes: random.int(200), clean: random.chance(0.5) };
  home.api.faults.onRequest({ resource: "leases", verb: "update" }, fault, { times });
  return `the Lease: the next ${times} answers are cut off`;
};

function homeOf(world: World) {
  const { enabled, cluster } = world.config.leader;
  return enabled ? world.clusters.get(cluster ?? "") : undefined;
}

export const leaseActions = {
  outOfReach: { weight: 3, run: outOfReach },
  loseLeaseAnswers: { weight: 1, run: loseAnswers },
} as const satisfies Readonly<Record<string, ActionRow>>;
