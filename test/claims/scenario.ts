import { expect } from "vitest";
import type { Identity } from "../../src/apisix/types.ts";
import type { Claim } from "../../src/claims/claim.ts";
import { pairsOf } from "../../src/declare/pair.ts";
import { identity, World } from "./world.ts";

type Options = Partial<Pick<Claim, "inherits">> & { readonly created?: number; readonly version?: number };

/** Ids are `cluster/namespace/name`, or `namespace/name` for a fleet group. */
export function identityOf(id: string): Identity {
  const [name = "", namespace = "n", cluster] = id.split("/").toReversed();
  return cluster === undefined && id.includes("/")
    ? identity({ share: "fleet", cluster: "", namespace, name: "", route: name })
    : identity({ cluster: cluster ?? "c", namespace, name });
}

export function want(world: World, id: string, hosts: readonly string[], options: Options = {}): void {
  const { created = 0, inherits = false, version } = options;
  const { cluster, namespace, name } = identityOf(id);
  world.want(
    { id, pairs: pairsOf(hosts, ["/*"]), inherits, age: { created, cluster, namespace, name } },
    version,
  );
}

/** A world in which these ids hold these hosts. */
export function standing(routes: Record<string, readonly string[]>): World {
  const world = new World(identityOf);
  for (const [id, hosts] of Object.entries(routes)) want(world, id, hosts);
  world.untilQuiet();
  world.log.length = 0;
  for (const [id, hosts] of Object.entries(routes)) expect(hostsOf(world, id)).toEqual(hosts);
  return world;
}

export function hostsOf(world: World, id: string): readonly string[] {
  return world.gateway.routes.get(id)?.shape.hosts ?? [];
}

export function oneBurst(world: World): readonly string[] {
  world.log.length = 0;
  world.start();
  world.finishBurst();
  return [...world.log];
}
