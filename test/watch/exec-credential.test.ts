import { expect, test } from "vitest";
import { ExecCredential } from "../../src/watch/exec-credential.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";

/** A plugin whose answers are given one after the other; `runs` counts how often it ran. */
function plugin(...lives: (number | undefined)[]) {
  const clock = new VirtualClock();
  let runs = 0;
  const credential = new ExecCredential({ command: "get-token" }, clock, () => {
    const life = lives[Math.min(runs, lives.length - 1)];
    const status = {
      token: `token-${++runs}`,
      ...(life === undefined ? {} : { expirationTimestamp: new Date(clock.wall() + life).toISOString() }),
    };
    return Promise.resolve(JSON.stringify({ status }));
  });
  const token = async (): Promise<string | undefined> => (await credential.current()).authorization;
  return { clock, credential, token, runs: () => runs };
}

test("a token is used until shortly before it expires, then asked for anew", async () => {
  const { clock, token } = plugin(600_000);
  expect(await token()).toBe("Bearer token-1");
  await clock.advance(560_000);
  expect(await token()).toBe("Bearer token-1");
  await clock.advance(11_000);
  expect(await token()).toBe("Bearer token-2");
});

test("a token that lives no longer than the margin is used for half its life, not asked for at each request", async () => {
  const { clock, token, runs } = plugin(20_000);
  await token();
  await clock.advance(9_000);
  await token();
  expect(runs()).toBe(1);
  await clock.advance(2_000);
  await token();
  expect(runs()).toBe(2);
});

test("a token without an end is used until the server refuses it", async () => {
  const { clock, credential, token, runs } = plugin(undefined);
  await token();
  await clock.advance(86_400_000);
  await token();
  expect(runs()).toBe(1);
  credential.refused();
  expect(await token()).toBe("Bearer token-2");
});

test("a plugin that fails is run again by the next request", async () => {
  let runs = 0;
  const credential = new ExecCredential({ command: "x" }, new VirtualClock(), async () => {
    if (++runs === 1) throw new Error("no");
    return JSON.stringify({ status: { token: "good" } });
  });
  await expect(Promise.all([credential.current(), credential.current()])).rejects.toThrow("no");
  expect(runs).toBe(1);
  expect((await credential.current()).authorization).toBe("Bearer good");
});
