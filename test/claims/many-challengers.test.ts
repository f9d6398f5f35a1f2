import { expect, it } from "vitest";
import type { Claim } from "../../src/claims/claim.ts";
import { Claims } from "../../src/claims/claims.ts";
import { identity } from "./world.ts";

const portion = 10;
const pair = "h.example.com /*";
const shape = { hosts: ["h.example.com"], uris: ["/*"] };

function claim(number: number): Claim {
  const age = { created: number, cluster: "c", namespace: "n", name: "p" };
  return { id: `t${number}`, identity: identity(), age, pairs: [pair], inherits: false, dirty: true };
}

/** Runs a burst, and answers what it asks for; how many rounds did nothing but leave others their turn. */
function burst(claims: Claims): { readonly granted: string[]; readonly turns: number } {
  const granted: string[] = [];
  let turns = 0;
  claims.startBurst();
  for (;;) {
    const { cuts, grants, more = false } = claims.nextRound();
    for (const { id } of cuts) claims.stands(id, identity(), null);
    for (const { id } of grants) claims.stands(id, identity(), shape, 1);
    granted.push(...grants.map(({ id }) => id));
    if (cuts.length > 0 || grants.length > 0) continue;
    if (!more) return { granted, turns };
    turns++;
  }
}

it("a pair that very many want goes to the next in age, in turns of a portion each, and costs nothing once they are gone", () => {
  const claims = new Claims({ portion });
  const count = 30 * portion;
  for (let number = count; number > 0; number--) claims.want(claim(number));
  expect(burst(claims).granted).toEqual(["t1"]);
  expect(claims.size).toBe(count);

  claims.leave("t1", identity(), { grace: false });
  // Not all of them have been made candidates in this one turn.
  expect(claims.pending).toBe(true);
  const { granted, turns } = burst(claims);
  expect(granted).toEqual(["t2"]);
  expect(turns).toBeGreaterThan(50);

  // While they are judged again, the next in age leaves and an older one comes.
  claims.leave("t2", identity(), { grace: false });
  claims.forget("t3");
  claims.want(claim(0));
  expect(burst(claims).granted).toEqual(["t0"]);
  expect(claims.waiting(pair).slice(0, 2)).toEqual(["t4", "t5"]);
  for (let number = 0; number <= count; number++) {
    claims.leave(`t${number}`, identity(), { grace: false });
    if (number > 0) claims.forget(`t${number}`);
  }
  expect(burst(claims).granted).toEqual([]);
  expect(claims.size).toBe(0);
});
