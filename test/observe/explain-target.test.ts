import { describe, expect, it } from "vitest";
import type { Explained } from "../../src/shard/protocol.ts";
import { holds, id, identity, live, record, standing } from "./facts.ts";
import { ask, explained, written } from "./explained-world.ts";

describe("explainTarget", () => {
  it.each([
    id,
    "east/shop/web-1/web",
    "east/shop/pod/web-1",
    "a.example.com",
    "a.example.com/*",
    "a.example.com/cart",
  ])("tells all of a routed declaration, asked for %s", async (target) => {
    const { declarations } = await ask(target, { records: [written], explained: [explained] });
    expect(declarations).toEqual([
      {
        ...{ cluster: "east", kind: "pod", namespace: "shop", name: "web-1", route: "web", id },
        ...{ state: "Routed", reason: "APISIX holds it as declared", nodes: 1 },
        ...{ hosts: ["a.example.com"], uris: ["/*"] },
        lastWrite: { at: "2027-01-15T08:00:00.000Z", resource: "route", status: 201 },
      },
    ]);
  });

  it("tells what stands where something else is declared, and nothing of it where it is the same", async () => {
    const moved = { ...explained, hosts: ["b.example.com"] };
    const { declarations } = await ask("east/shop/pod/web-1", { records: [written], explained: [moved] });
    expect(declarations[0]).toMatchObject({
      hosts: ["b.example.com"],
      stands: { hosts: ["a.example.com"], uris: ["/*"] },
    });
    const turned = record(live(), {
      route: { digest: "r", shape: { hosts: ["b.example.com", "a.example.com"], uris: ["/*"] } },
    });
    const both = { ...explained, hosts: ["a.example.com", "b.example.com"] };
    const same = await ask("east/shop/pod/web-1", { records: [turned], explained: [both] });
    expect(same.declarations[0]).not.toHaveProperty("stands");
  });

  const { nodes: _, ...unread } = explained;
  it.each<[string, Explained[]]>([
    ["is paused since before a restart", [{ ...unread, state: "Paused" }]],
    ["nobody that is seen declares", []],
  ])("counts the nodes that stand for what %s", async (_what, told) => {
    const stands = record(undefined, { ...standing, upstream: { digest: "u", nodes: 3 } });
    const { declarations } = await ask("east/shop/pod/web-1", { records: [stands], explained: told });
    expect(declarations).toMatchObject([{ nodes: 3 }]);
  });

  it("names the group of a declaration so that it can be asked for", async () => {
    const shared = { ...identity, share: "fleet", cluster: "", name: "" } as const;
    const world = { records: [{ ...written, identity: shared }], explained: [explained] };
    const { declarations } = await ask("east/shop/pod/web-1", world);
    expect(declarations[0]?.group).toBe("shop/web (group of Pods in all clusters)");
    expect((await ask("shop/web", world)).declarations).toEqual(declarations);
  });

  it.each(["west/shop/pod/web-1", "east/shop/service/web-1", "b.example.com", "a.example.com.evil"])(
    "knows nothing of %s",
    async (target) => {
      const { declarations, foreign } = await ask(target, { records: [written], explained: [explained] });
      expect({ declarations, foreign }).toEqual({ declarations: [], foreign: [] });
    },
  );

  it("tells a refused declaration that asks for the very thing beside the route that answers it", async () => {
    const refused: Explained = {
      ...{ ...explained, name: "cart-0", route: "cart", state: "Invalid", reason: "retries is 99" },
      ...{ uris: ["/cart"], id: "t-7" },
    };
    const elsewhere: Explained = { ...refused, name: "cart-1", uris: ["/*"], hosts: ["*.example.com"] };
    const world = { records: [written], explained: [explained, refused, elsewhere] };
    for (const target of ["a.example.com", "a.example.com/cart"]) {
      const { declarations } = await ask(target, world);
      expect(declarations.map(({ name, state }) => [name, state])).toEqual([
        ["web-1", "Routed"],
        ["cart-0", "Invalid"],
      ]);
    }
    expect((await ask("a.example.com/*", world)).declarations).toHaveLength(1);
  });

  it("tells holder and challenger of a pair", async () => {
    const challenger = record(live(), {
      ...{ id: "t-2", identity: { ...identity, cluster: "west" } },
      claim: { ...(written.claim ?? never()), id: "t-2" },
    });
    const loser: Explained = { ...explained, cluster: "west", id: "t-2" };
    const { declarations } = await ask("a.example.com/*", {
      records: [written, challenger],
      explained: [explained, loser],
      facts: {
        outcome: (of) =>
          of === id
            ? holds
            : { state: "conflict", blockers: [{ pair: "a.example.com /*", by: id, foreign: false }] },
        title: () => "east/shop/web-1/web",
      },
    });
    expect(declarations.map(({ cluster, state, reason }) => [cluster, state, reason])).toEqual([
      ["east", "Routed", "APISIX holds it as declared"],
      ["west", "Conflict", "a.example.com/* is held by east/shop/web-1/web"],
    ]);
    expect(declarations[1]?.lastWrite).toBeNull();
  });

  it("prefers what names the pair to what merely matches it", async () => {
    const wide = record(live(), {
      id: "t-2",
      route: { digest: "r", shape: { hosts: ["*.example.com"], uris: ["/*"] } },
    });
    const world = {
      records: [written, wide],
      explained: [explained, { ...explained, id: "t-2", name: "wide" }],
    };
    expect((await ask("a.example.com", world)).declarations.map(({ name }) => name)).toEqual(["web-1"]);
    expect((await ask("z.example.com", world)).declarations.map(({ name }) => name)).toEqual(["wide"]);
  });

  it("tells a refused declaration by the host that it asks for", async () => {
    const invalid: Explained = {
      ...explained,
      state: "Forbidden",
      reason: "no",
      hosts: ["f.example.com"],
      id: "t-3",
    };
    const { declarations, asked } = await ask("f.example.com", { explained: [explained, invalid] });
    expect(declarations.map(({ state, reason }) => [state, reason])).toEqual([["Forbidden", "no"]]);
    expect(asked).toEqual([{ by: "problems" }]);
  });

  it("tells a declaration that belongs to no group", async () => {
    const stray: Explained = {
      ...explained,
      id: "",
      route: "",
      state: "Invalid",
      reason: "not JSON",
      hosts: [],
      uris: [],
      nodes: 0,
    };
    const { declarations } = await ask("east/shop/pod/web-1", { explained: [stray] });
    expect(declarations[0]).toMatchObject({ id: "", state: "Invalid", reason: "not JSON", lastWrite: null });
  });

  it("tells what stands of an object that is gone", async () => {
    const absent = { type: "absent", grace: true, cause: "gone" } as const;
    const upstream = { digest: "u", nodes: 0 };
    const leaving = record(absent, { ...standing, upstream, leaving: { due: 2000, emptied: true } });
    for (const target of ["east/shop/pod/web-1", "a.example.com"]) {
      const { declarations } = await ask(target, { records: [leaving] });
      expect(declarations).toHaveLength(1);
      expect(declarations[0]).toMatchObject({ state: "Leaving", hosts: ["a.example.com"], id, nodes: 0 });
    }
    expect((await ask("east/shop/pod/web-1", { records: [record(absent)] })).declarations).toEqual([]);
  });

  it("says of nodes that it does not know them, and not that there are none", async () => {
    const fleet = { ...identity, share: "fleet", cluster: "", name: "" } as const;
    const north = [["north", "uid"]] as const;
    const group = record(live(), { ...written, identity: fleet, members: north });
    const { nodes: _nodes, ...unread } = explained;
    const ofGroup = await ask(id, { records: [group], explained: [unread] });
    expect(ofGroup.declarations.map(({ cluster, nodes }) => [cluster, nodes])).toEqual([
      ["east", null],
      ["north", null],
    ]);
    const orphan = await ask(id, { records: [record(undefined, { ...standing })] });
    expect(orphan.declarations.map(({ nodes }) => nodes)).toEqual([null]);
  });

  it("calls every member of a group whose body is too big Invalid", async () => {
    const reason = "the upstream has 20000 nodes";
    const change = { id, identity, counts: { Invalid: 1 }, reason, stand: live() };
    const { declarations } = await ask("a.example.com", {
      records: [record(live(), { ...standing, change })],
      explained: [explained],
    });
    expect(declarations[0]).toMatchObject({ state: "Invalid", reason });
  });

  it("tells a thousand groups and a hundred pairs of a foreign route, however many there are", async () => {
    const many = Array.from({ length: 1100 }, (_, at) => record(live(), { ...written, id: `${id}${at}` }));
    const uris = Array.from({ length: 200 }, (_, at) => `/${at}`);
    const foreign = [{ id: "r1", hosts: ["a.example.com"], uris, createdIndex: 9 }];
    const told = await ask("a.example.com", { records: many, foreign });
    expect(told.declarations).toHaveLength(1000);
    expect(told.foreign.map(({ pairs }) => pairs.length)).toEqual([100]);
  });

  it("tells foreign routes, and one that intrudes on ours", async () => {
    const foreign = [
      { id: "r1", hosts: ["a.example.com", "other.example.com"], uris: ["/*"], createdIndex: 9 },
      { id: "r2", hosts: [""], uris: ["/*"], createdIndex: 3 },
    ];
    const intruders = [{ pair: "a.example.com /*", foreign: "r1", ours: id }];
    const world = { records: [written], explained: [explained], foreign, intruders };
    const known = await ask("a.example.com", world);
    expect(known.foreign).toEqual([{ id: "r1", pairs: ["a.example.com/*"] }]);
    expect(known.declarations[0]?.reason).toBe(
      "APISIX holds it as declared; the foreign route r1, which is younger, stands on a.example.com/* too",
    );
    expect((await ask("b.example.com", world)).foreign).toEqual([{ id: "r2", pairs: ["every host, /*"] }]);
  });

  it("answers a thousand groups at most, and takes turns while it looks", async () => {
    const many = Array.from({ length: 5000 }, (_, index) =>
      record(live(), { ...standing, id: `t-${index}` }),
    );
    const { declarations } = await ask("a.example.com", { records: many });
    expect(declarations).toHaveLength(1000);
    const none = await ask("zzz.example.com", { records: many });
    expect(none.declarations).toEqual([]);
  });
});

function never(): never {
  throw new Error("the fixture has a claim");
}
