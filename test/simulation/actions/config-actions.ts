import type { HostRule } from "../oracle/declared.ts";
import { allowedPlugins } from "../setup.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { World } from "../world.ts";
import type { Action, ActionRow } from "./action.ts";
import { namespaces } from "./pods.ts";

/** What an operator changes in the configuration file while the translator runs. */

const weigh: Action = (world, random) => {
  const { weights } = world.configuration;
  const name = random.pick([...weights.keys()]);
  const weight = random.pick([0, 1, 50, 100]);
  world.operator.configure({ weights: new Map([...weights, [name, weight]]) });
  return `${name} has the weight ${weight}`;
};

/** Not the one with the Lease, and never the last one. */
export function mayLeave(world: World, name: string): boolean {
  const { leader } = world.config;
  return world.configuration.weights.size > 1 && !(leader.enabled && leader.cluster === name);
}

const leave: Action = (world, random) => {
  const { weights } = world.configuration;
  const name = random.pick([...weights.keys()]);
  if (!mayLeave(world, name)) return undefined;
  world.operator.configure({ weights: new Map([...weights].filter(([other]) => other !== name)) });
  if (random.chance(0.8)) world.later(random.between(500, 60_000), () => world.operator.addCluster(name));
  return `${name} leaves the configuration`;
};

const allowPlugins: Action = (world, random) => {
  const plugins = random.some(allowedPlugins, 1 + random.int(allowedPlugins.length));
  world.operator.configure({ policy: { ...world.configuration.policy, plugins } });
  return `plugins allowed: ${plugins.join(", ")}`;
};

function drawRules(world: World, random: SeededRandom): readonly HostRule[] {
  const everything: HostRule = { hosts: ["**.example.com"] };
  const rest: HostRule = { hosts: ["*.apps.example.com", "*.example.com"] };
  return random.pick<readonly HostRule[]>([
    [],
    [],
    [everything],
    [rest],
    [{ ...everything, namespaces: random.some(namespaces, 2) }],
    [{ ...everything, clusters: random.some(world.setup.clusters, 1) }, rest],
    [{ hosts: ["*-*-*.apps.example.com", "a.example.com", "*.e.example.com"] }],
  ]);
}

const allowHosts: Action = (world, random) => {
  const hosts = drawRules(world, random);
  world.operator.configure({ policy: { ...world.configuration.policy, hosts } });
  return `hosts allowed: ${JSON.stringify(hosts)}`;
};

export const configActions = {
  weigh: { weight: 3, run: weigh },
  leave: { weight: 2, run: leave },
  allowPlugins: { weight: 1, run: allowPlugins },
  allowHosts: { weight: 2, run: allowHosts },
} as const satisfies Readonly<Record<string, ActionRow>>;
