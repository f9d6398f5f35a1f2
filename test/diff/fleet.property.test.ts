import fc from "fast-check";
import { expect, it } from "vitest";
import type { Change } from "../../src/shard/change.ts";
import type { PodProjection } from "../../src/store/projection.ts";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

const names = ["east", "west", "north"] as const;
type Name = (typeof names)[number];
const clusters = names.map((name) => ({ name, addressFamily: "IPv4" as const, weight: 100 }));

const web = { name: "web", port: 8080, host: "a.example.com", share: "fleet" };
const annotations = [
  undefined,
  JSON.stringify([web]),
  JSON.stringify([web]),
  JSON.stringify([{ ...web, port: "http", retries: 4 }]),
  JSON.stringify([{ ...web, uri: "/v2/*" }]),
  JSON.stringify([{ ...web, scheme: "https" }]),
  JSON.stringify([{ ...web, retries: 99 }]),
  JSON.stringify([{ ...web, plugins: { cors: {} } }]),
  JSON.stringify([web, { ...web, name: "api", host: "b.example.com", publishNotReady: true }]),
] as const;

type Step =
  | { readonly do: "apply"; readonly cluster: Name; readonly pod: PodProjection }
  | { readonly do: "remove"; readonly cluster: Name; readonly name: string }
  | { readonly do: "lose" | "find" | "empty" | "let go"; readonly cluster: Name };

const podNames = ["p-1", "p-2"] as const;
const cluster = fc.constantFrom(...names);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        ...{ cluster, name: fc.constantFrom(...podNames), routes: fc.constantFrom(...annotations) },
        ...{ ready: fc.boolean(), generation: fc.constantFrom(1, 1, 2) },
      })
      .map(({ cluster: where, name, routes, ready, generation }) => {
        const number = names.indexOf(where) * 10 + podNames.indexOf(name);
        const about = { name, uid: `${where}/${name}/${generation}`, created: (number * 7) % 5 };
        return {
          ...{ do: "apply" as const, cluster: where },
          pod: pod({ ...about, routes, ready, ips: [`10.0.0.${number}`] }),
        };
      }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("remove" as const), cluster, name: fc.constantFrom(...podNames) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("lose", "find", "empty", "let go"), cluster }) },
);

/** The clusters, what is in them, and who is seen. */
class World {
  readonly pods = new Map<Name, Map<string, PodProjection>>(names.map((name) => [name, new Map()]));
  readonly seen = new Set<Name>(names);

  podsOf(name: Name): PodProjection[] {
    return [...(this.pods.get(name)?.values() ?? [])];
  }

  tell(shard: ShardUnderTest, one: Step): Change[] {
    const pods = this.pods.get(one.cluster);
    if (one.do === "apply") {
      pods?.set(one.pod.name, one.pod);
      return shard.podsOf(one.cluster, one.pod);
    }
    if (one.do === "remove") {
      const held = pods?.get(one.name);
      pods?.delete(one.name);
      return held === undefined ? [] : shard.gone(held, one.cluster);
    }
    if (one.do === "let go") return shard.letGo();
    if (one.do === "empty") return this.#empty(shard, one.cluster);
    if (one.do === "find") this.seen.add(one.cluster);
    else this.seen.delete(one.cluster);
    return one.do === "find" ? shard.settle(one.cluster) : shard.unsettle(one.cluster);
  }

  /** A new list finds nothing. */
  #empty(shard: ShardUnderTest, name: Name): Change[] {
    const gone = this.podsOf(name);
    this.pods.get(name)?.clear();
    this.seen.add(name);
    shard.send({ type: "doubt", cluster: name, kind: "pods" });
    const changes = gone.flatMap((one) => {
      const said = shard.gone(one, name);
      writeAll(shard, said);
      return said;
    });
    return [...changes, ...shard.settle(name)];
  }
}

/** Writes all that is announced, as a gateway without claims, grace and guard would have it. */
function writeAll(shard: ShardUnderTest, announced: readonly Change[]): void {
  let changes = [...announced, ...shard.answerNeeds()];
  for (let turn = 0; changes.length > 0; turn++) {
    if (turn > 50) throw new Error("the shard announces without end");
    const next = changes.flatMap((change) => writeOne(shard, change));
    changes = [...next, ...shard.answerNeeds()];
  }
}

function writeOne(shard: ShardUnderTest, change: Change): Change[] {
  if (change.identity.route === "") return [];
  if (change.stand.type !== "absent") return shard.write(change).changes;
  shard.gateway.delete(change.id);
  shard.send({ type: "forget", ids: [change.id] });
  return [];
}

/** What a new shard says that is told what stands, and who is seen. */
function successor(shard: ShardUnderTest, world: World): Change[] {
  const next = shard.successor({ clusters });
  const said = names.flatMap((name) =>
    world.seen.has(name)
      ? [...next.podsOf(name, ...world.podsOf(name)), ...next.settle(name)]
      : next.unsettle(name),
  );
  return [...said, ...next.answerNeeds()];
}

const writes = (changes: readonly Change[]): Change[] =>
  changes.filter(
    ({ stand }) =>
      stand.type === "absent" || ("upstream" in stand && stand.upstream) || ("route" in stand && stand.route),
  );

type Node = { readonly host: string; readonly metadata: { readonly cluster: string } };

/** Nodes by cluster, of every upstream. */
function partsOf(shard: ShardUnderTest): Map<string, Map<string, string>> {
  return new Map(
    [...shard.gateway].map(([id, { upstream }]) => {
      const parts = new Map<string, string>();
      for (const { host, metadata } of (upstream?.["nodes"] ?? []) as unknown as Node[])
        parts.set(metadata.cluster, `${parts.get(metadata.cluster) ?? ""} ${host}`);
      return [id, parts];
    }),
  );
}

it("whatever is lost and found: a cluster out of sight, or listed empty, keeps its part, and a new shard writes nothing", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 16 }), (steps) => {
      const shard = new ShardUnderTest({ clusters });
      const world = new World();
      writeAll(
        shard,
        names.flatMap((name) => shard.settle(name)),
      );
      for (const one of steps) {
        const before = partsOf(shard);
        const announced = world.tell(shard, one);
        writeAll(shard, announced);
        const after = partsOf(shard);
        for (const [id, parts] of before)
          for (const name of names)
            if (!world.seen.has(name) || (one.do === "empty" && one.cluster === name && after.has(id)))
              expect(after.get(id)?.get(name)).toBe(parts.get(name));
      }
      // Of which nothing but a part that the guard holds is left, that goes as a whole: the guard is asked again.
      expect(writes(successor(shard, world)).filter(({ stand }) => stand.type !== "absent")).toEqual([]);
      writeAll(shard, shard.letGo());
      expect(writes(successor(shard, world))).toEqual([]);
      for (const name of names) writeAll(shard, world.tell(shard, { do: "find", cluster: name }));
      writeAll(shard, shard.letGo());
      expect(writes(successor(shard, world))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
