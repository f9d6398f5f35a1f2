import { describe, expect, it } from "vitest";
import { contentDigest } from "../../src/apisix/canonical.ts";
import type { JsonObject } from "../../src/apisix/types.ts";
import type { PodProjection } from "../../src/store/projection.ts";
import { clusters, drain, established, member, successor } from "./fleet-group.ts";
import type { ShardUnderTest } from "./shard-under-test.ts";

/** Every member that is not plainly valid: name, state and reason. */
function told(shard: ShardUnderTest): readonly string[] {
  const answers = shard.send({ type: "explain", token: 1, query: { by: "problems" } });
  return answers.flatMap((answer) =>
    answer.type === "explained"
      ? answer.declarations.map(({ name, state, reason }) => `${name} ${state}: ${reason}`)
      : [],
  );
}

/** What stands is another body by now, as a look at APISIX finds. */
function edit(shard: ShardUnderTest, change: (route: JsonObject) => JsonObject | undefined): void {
  for (const [id, { known, route: standing, ...rest }] of shard.gateway) {
    const { route: _, ...others } = known;
    const route = change(standing!);
    const now = route === undefined ? others : { ...others, route: { digest: contentDigest(route) } };
    shard.gateway.set(id, { ...rest, ...(route === undefined ? {} : { route }), known: now });
    shard.send({ type: "known", entries: [now] });
  }
  shard.answerNeeds();
}

/** As an old APISIX stores it. */
const stored = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries({ ...body, status: 1, id: "x", update_time: 1 }).toReversed());

const keeps = "from its group's settings, which are kept as they stand";

describe("a fleet group whose settings a new leader knows by the bodies that stand, a cluster being out of sight", () => {
  const set = {
    ...{ retries: 5, timeout: { connect: 1, send: 2, read: 3 }, healthCheck: { path: "/" } },
    ...{ rewrite: { stripPrefix: "/api" }, methods: ["GET"], loadBalancer: "ewma", scheme: "https" },
  };
  const restarted = (...west: PodProjection[]): ReturnType<typeof successor> =>
    successor(established([member(1, set)]), { west });

  it("holds what is declared against them", () => {
    const other = { ...set, host: "other.example.com", retries: 1 };
    const { next, changes } = restarted(member(2, set), member(3, other));
    const reason = `differs in host, retries ${keeps}`;
    expect(told(next)).toEqual([`p-3 SpecMismatch: ${reason}`]);
    const { counts, reason: first } = changes.at(-1)!;
    expect(counts).toEqual({ Valid: 1, SpecMismatch: 1 });
    expect(first).toBe(`west/shop/pod/p-3: ${reason}`);
  });

  it.each<[string, object]>([
    ["port", { port: 9090 }],
    ["uri", { uri: "/other" }],
    ["priority", { priority: 7 }],
    ["rewrite", { rewrite: { uri: "/" } }],
    ["timeout", { timeout: { connect: 1, send: 2, read: 4 } }],
    ["publishNotReady", { publishNotReady: true }],
  ])("names %s", (field, fields) => {
    expect(told(restarted(member(2, { ...set, ...fields })).next)).toEqual([
      `p-2 SpecMismatch: differs in ${field} ${keeps}`,
    ]);
  });

  it("follows an edit of the declaration, there and back", () => {
    const { next } = restarted(member(2, set));
    next.podsOf("west", member(2, { ...set, host: "other.example.com" }));
    expect(told(next)).toEqual([`p-2 SpecMismatch: differs in host ${keeps}`]);
    next.podsOf("west", member(2, set));
    expect(told(next)).toEqual([]);
  });

  it("takes no order of keys, and no default that is stored, for a difference", () => {
    const shard = established([member(1, set)]);
    edit(shard, stored);
    expect(told(successor(shard, { west: [member(2, set)] }).next)).toEqual([]);
  });

  it("says that they are not known before they were read", () => {
    const next = established().successor({ clusters });
    next.unsettle("east");
    next.podsOf("west", member(2));
    expect(next.settle("west").at(-1)?.counts).toEqual({ Unclear: 1 });
    const reason = "what stands of it in APISIX has not been read yet, and is kept as it is";
    expect(told(next)).toEqual([`p-2 Unclear: ${reason}`]);
    expect(next.answerNeeds().at(-1)?.counts).toEqual({ Valid: 1 });
  });

  it("reads them again where somebody edits the route", () => {
    const { next } = restarted(member(2, set));
    edit(next, (route) => ({ ...route, hosts: ["edited.example.com"] }));
    expect(told(next)).toEqual([`p-2 SpecMismatch: differs in host ${keeps}`]);
    edit(next, (route) => ({ ...route, hosts: ["shop.example.com"], status: 0 }));
    expect(told(next)).toEqual([`p-2 SpecMismatch: differs ${keeps}`]);
  });
});

describe("a group whose oldest member is paused", () => {
  const edited = member(2, { host: "other.example.com" });
  const paused = member(1, {}, { paused: true });
  const isPaused = `p-1 Paused: paused by its annotation: only its own part of the group is kept as it is`;

  it("holds the others against what stands, also under a new leader", () => {
    const shard = established();
    drain(shard, shard.podsOf("east", paused));
    drain(shard, shard.podsOf("west", edited));
    const differs = `p-2 SpecMismatch: differs in host ${keeps}: east/shop/pod/p-1, its oldest member, is paused`;
    expect(told(shard)).toEqual([isPaused, differs]);
    const { next } = successor(shard, { east: [paused], west: [edited, member(3)] });
    expect(told(next)).toEqual([isPaused, differs]);
  });

  it("does not say of one that it stands as declared where its route is gone", () => {
    const shard = established();
    drain(shard, shard.podsOf("east", paused));
    edit(shard, () => undefined);
    const reason = "the settings are kept as they stand, and its route does not stand in APISIX";
    expect(told(shard)).toEqual([isPaused, `p-2 Unclear: ${reason}`, `p-3 Unclear: ${reason}`]);
  });
});
