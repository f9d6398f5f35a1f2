import { expect } from "vitest";
import { identityOf, ids } from "./schedules.ts";
import { World } from "./world.ts";

/**
 * Everybody is heard, nothing is unknown: what remains is a matter of claims alone. Nothing is said again but what
 * claims ask for, so that a challenger that was passed over stays passed over.
 */
export function calmDown(world: World): void {
  world.finishBurst();
  for (const id of ids) {
    if (world.uncertain.has(id)) world.readBack(id);
    if (world.blocked.has(id)) world.block(id, false);
    const said = world.said.get(id);
    if (!world.refused.has(id)) continue;
    if (said?.type === "want") world.want(said.claim, said.version);
    else if (said?.type === "leave") world.leave(id, said.grace);
  }
  world.untilQuiet();
  for (const id of ids) world.readBack(id);
  world.untilQuiet();
}

/** The same words and the same APISIX, heard by a new leader. */
export function hearAnew(world: World): World {
  const again = new World(identityOf);
  again.claims.setForeign(world.gateway.foreign);
  again.gateway.foreign = world.gateway.foreign;
  for (const [id, route] of world.gateway.routes) {
    again.gateway.routes.set(id, route);
    again.readBack(id);
  }
  for (const [id, said] of world.said) {
    if (said.type === "want") again.want(said.claim, said.version);
    else if (said.type === "leave") again.leave(id, said.grace);
    else again.hold(id);
  }
  return again;
}

export function expectQuiet(world: World): void {
  expect(world.claims.pending).toBe(false);
  world.claims.startBurst();
  expect(world.claims.nextRound()).toEqual({ cuts: [], grants: [] });
  for (const [id, said] of world.said) expectOutcome(world, id, said.type === "want");
}

function expectOutcome(world: World, id: string, isWanted: boolean): void {
  const outcome = world.claims.outcome(id);
  const said = world.said.get(id);
  const route = world.gateway.routes.get(id);
  if (!isWanted || said?.type !== "want") {
    expect(outcome).toEqual(route ? { state: "holds", pairs: world.gateway.pairs(id) } : { state: "none" });
    if (said?.type === "leave" && !said.grace && !world.gateway.foreign.some((it) => it.id === id))
      expect(route).toBeUndefined();
    return;
  }
  if (outcome.state === "holds") {
    expect(outcome.pairs).toEqual(said.claim.pairs);
    expect(world.gateway.pairs(id)).toEqual(said.claim.pairs);
    expect(route?.version).toBe(said.version);
    return;
  }
  if (outcome.state !== "conflict") throw new Error(`${id} is ${outcome.state}`);
  expect(outcome.blockers.length).toBeGreaterThan(0);
  for (const { pair, by } of outcome.blockers) {
    expect(said.claim.pairs).toContain(pair);
    expect([...world.gateway.on(pair), ...world.gateway.foreign.map((it) => it.id)]).toContain(by);
    expect(world.claims.waiting(pair)).toContain(id);
  }
}
