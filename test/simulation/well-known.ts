import type { World } from "./world.ts";

/** As many groups of a cluster as must stand for its identity to outlive whatever happens to some of them. */
const wellKnown = 3;

/** Whether APISIX says for certain which cluster stands under this name. */
export function isWellKnown({ gateway, configuration }: World, name: string): boolean {
  if (configuration.purges.has(name)) return false;
  const known = gateway.owned("upstreams").filter(({ identity }) => identity.cluster === name);
  return known.length >= wellKnown;
}
