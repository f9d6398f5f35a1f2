import fc from "fast-check";
import { expect, it } from "vitest";
import type { PodProjection } from "../../src/store/projection.ts";
import type { Change } from "../../src/shard/change.ts";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

/** What Pods may say, good and bad; few names and hosts, so that they meet. */
const annotations = [
  undefined,
  "[]",
  "{",
  JSON.stringify([{ name: "web", port: "http", host: "a.example.com" }]),
  JSON.stringify([{ name: "web", port: 9090, host: "a.example.com", retries: 3 }]),
  JSON.stringify([{ name: "web", port: "http", host: "a.example.com", retries: 99 }]),
  JSON.stringify([{ name: "web", port: "http", host: "a.example.com", scheme: "https" }]),
  JSON.stringify([{ name: "web", port: "gone", host: "a.example.com" }]),
  JSON.stringify([{ name: "web", port: "http", host: "b.example.com", share: "none" }]),
  JSON.stringify([
    { name: "api", port: 8080, hosts: ["c.example.com", "d.example.com"], publishNotReady: true },
  ]),
  JSON.stringify([
    { name: "web", port: "http", host: "a.example.com" },
    { name: "api", port: 8080, host: "c.example.com", plugins: { cors: {} } },
  ]),
  JSON.stringify([{ port: 8080, host: "a.example.com" }]),
  JSON.stringify([{ name: "web", port: "http", host: "a.example.com", share: 7 }]),
] as const;

type Step =
  | { readonly do: "apply"; readonly pod: PodProjection }
  | { readonly do: "remove"; readonly name: string };

const names = ["p-1", "p-2", "p-3"] as const;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({
        name: fc.constantFrom(...names),
        routes: fc.constantFrom(...annotations),
        ready: fc.boolean(),
        terminating: fc.constantFrom(false, false, true),
        paused: fc.constantFrom(false, false, false, true),
        generation: fc.constantFrom(1, 1, 1, 2),
        phase: fc.constantFrom("Running", "Running", "Running", "Pending", "Succeeded"),
      })
      .map(({ name, generation, ...rest }) => {
        const number = names.indexOf(name) + 1;
        const uid = `${name}/${generation}`;
        const created = number * 10 + generation;
        const controller = name === "p-3" ? "" : "ReplicaSet";
        const ips = [`10.0.0.${number}`];
        return { do: "apply" as const, pod: pod({ ...rest, name, uid, created, controller, ips }) };
      }),
  },
  { weight: 1, arbitrary: fc.constantFrom(...names).map((name) => ({ do: "remove" as const, name })) },
);

/** Writes everything that is announced, as a gateway without claims, grace and guard would have it. */
function writeAll(shard: ShardUnderTest, announced: readonly Change[]): void {
  let changes = [...announced];
  for (let turn = 0; changes.length > 0 || turn === 0; turn++) {
    if (turn > 50) throw new Error("the shard announces without end");
    const next: Change[] = [];
    for (const change of changes) {
      if (change.identity.route === "") continue;
      if (change.stand.type === "absent") {
        shard.gateway.delete(change.id);
        shard.send({ type: "forget", ids: [change.id] });
      } else next.push(...shard.write(change).changes);
    }
    changes = [...next, ...shard.answerNeeds()];
  }
}

/** Pods that keep what they had although nobody can read what that is: a restart may know less of them. */
function forgets(pods: Iterable<PodProjection>): boolean {
  return [...pods].some(
    ({ routes, paused }) =>
      paused || routes === "{" || routes?.includes('"share":7') || routes?.startsWith('[{"port"'),
  );
}

it("whatever happened, a shard that knows only what stands and what is writes nothing", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 14 }), (steps) => {
      const shard = new ShardUnderTest();
      const pods = new Map<string, PodProjection>();
      writeAll(shard, shard.settle());
      for (const one of steps) {
        if (one.do === "apply") {
          pods.set(one.pod.name, one.pod);
          writeAll(shard, shard.pods(one.pod));
        } else {
          const held = pods.get(one.name);
          if (held === undefined) continue;
          pods.delete(one.name);
          writeAll(shard, shard.gone(held));
        }
      }
      fc.pre(!forgets(pods.values()));
      const next = shard.successor();
      next.pods(...pods.values());
      const said = [...next.settle(), ...next.answerNeeds()];
      const writes = said.filter(
        ({ stand }) =>
          stand.type === "absent" ||
          ("upstream" in stand && stand.upstream) ||
          ("route" in stand && stand.route),
      );
      expect(writes).toEqual([]);
    }),
    { numRuns: 400 },
  );
});
