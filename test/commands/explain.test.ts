import { describe, expect, it } from "vitest";
import { declaration, explain, json, serve } from "./explain-harness.ts";

describe("explain", () => {
  it("asks for the target as it was written and tells the answer in sentences", async () => {
    const asked: (string | undefined)[] = [];
    const server = await serve((request, response) => {
      asked.push(request.url);
      json(200, { declarations: [declaration] })(request, response);
    });
    expect(await explain(["shop.example.com/a&b=ä", "--server", `${server}/`])).toEqual({
      code: 0,
      out: `east-1/shop/pod/web-1, route web is Conflict: shop.example.com/* is held by east-2/shop/pod/web-9
  for:        shop.example.com/* shop.example.com/api/*
  would give: 10.0.0.1:8080
  id:         t-0123
  last write: route, APISIX answered 201, at 2026-01-02T03:04:05Z
  advice:     free the host and uri that are held, or take others
`,
      err: "",
    });
    expect(asked).toEqual(["/explain?target=shop.example.com%2Fa%26b%3D%C3%A4"]);
  });

  it("tells the Pods of one route together: the sentence of most of them, then those that differ", async () => {
    const reason = "APISIX holds it as declared";
    const group = "east-1/shop/web (group of Pods)";
    const member = { ...declaration, state: "Routed", reason, nodes: 1, group };
    const idle = `${reason}; this one gives no node now`;
    const declarations = [
      { ...member, name: "web-0", reason: idle, nodes: 0 },
      member,
      { ...member, name: "db-0", route: "sql", id: "t-9", group: "east-1/shop/sql (group of Pods)" },
      { ...member, name: "web-2" },
    ];
    const server = await serve(json(200, { declarations }));
    expect((await explain(["shop.example.com", "--server", server])).out)
      .toBe(`east-1/shop/web (group of Pods) is Routed: APISIX holds it as declared
  for:        shop.example.com/* shop.example.com/api/*
  nodes:      2
  id:         t-0123
  last write: route, APISIX answered 201, at 2026-01-02T03:04:05Z
  members:    web-1 web-2
  web-0 is Routed: APISIX holds it as declared; this one gives no node now
east-1/shop/pod/db-0, route sql is Routed: APISIX holds it as declared
  for:        shop.example.com/* shop.example.com/api/*
  nodes:      1
  group:      east-1/shop/sql (group of Pods)
  id:         t-9
  last write: route, APISIX answered 201, at 2026-01-02T03:04:05Z
`);
  });

  it("names the clusters of a group that has several, and no Pod of a group that has none", async () => {
    const group = "shop/web (group of Pods in all clusters)";
    const member = { ...declaration, state: "Routed", reason: "", nodes: 1, group };
    const declarations = [member, { ...member, cluster: "west-1" }, { ...declaration, name: "", id: "t-9" }];
    const server = await serve(json(200, { declarations }));
    const { out } = await explain(["shop.example.com", "--server", server]);
    expect(out).toContain("shop/web (group of Pods in all clusters) is Routed\n");
    expect(out).toContain("  members:    east-1/web-1 west-1/web-1\n");
    expect(out).toContain("east-1/shop/web (group of Pods) is Conflict");
  });

  it("tells nodes that are not known apart from none", async () => {
    const member = { ...declaration, state: "Frozen", reason: "", nodes: 2, group: "fleet/shop/web" };
    const left = { ...member, cluster: "north", nodes: null };
    const nodesOf = async (declarations: readonly object[]): Promise<string | undefined> => {
      const server = await serve(json(200, { declarations }));
      return /nodes: +(.*)/.exec((await explain(["a.b", "--server", server])).out)?.[1];
    };
    expect(await nodesOf([member, left])).toBe("2, and of north it is not known");
    expect(await nodesOf([left])).toBe("not known");
  });

  it("tells what a Conflict's nodes are used for", async () => {
    const old = { ...declaration, reason: `${declaration.reason}; its old route stands meanwhile`, nodes: 1 };
    const server = await serve(json(200, { declarations: [old] }));
    expect((await explain(["a.b", "--server", server])).out).toContain("  nodes:      1\n");
  });

  it("tells what stands where that is not what is declared, and counts what would be used", async () => {
    const stands = { hosts: ["old.example.com"], uris: ["/*"] };
    const old = { ...declaration, reason: `${declaration.reason}; its old route stands meanwhile`, stands };
    const server = await serve(json(200, { declarations: [old, { ...declaration, id: "t-9", nodes: 1 }] }));
    const { out } = await explain(["a.b", "--server", server]);
    expect(out).toContain(
      "  for:        shop.example.com/* shop.example.com/api/*\n  stands:     old.example.com/*\n",
    );
    expect(out.match(/stands:/g)).toHaveLength(1);
    expect(out).toContain("  would give: 1 node\n");
  });

  it("does not call a group frozen of which some members are, though they are as many", async () => {
    const group = "east-1/shop/web (group of Pods)";
    const frozen = { ...declaration, state: "Frozen", reason: "paused", group, nodes: 1 };
    const routed = { ...frozen, name: "web-2", state: "Routed", reason: "" };
    const server = await serve(json(200, { declarations: [frozen, { ...frozen, name: "web-3" }, routed] }));
    const { out } = await explain(["a.b", "--server", server]);
    expect(out).toContain("east-1/shop/web (group of Pods) is Routed\n");
    expect(out).toContain("  web-1 is Frozen: paused\n");
  });

  it("does not drown in members that differ", async () => {
    const declarations = Array.from({ length: 1000 }, (_, index) => ({
      ...{ ...declaration, name: `web-${index}`, reason: `reason ${index}` },
    }));
    const server = await serve(json(200, { declarations }));
    const { out } = await explain(["shop.example.com", "--server", server]);
    expect(out.split("\n").length).toBeLessThan(40);
    expect(out).toContain("  and 979 more\n");
  });

  it("prints what the instance said as JSON", async () => {
    const server = await serve(json(200, { declarations: [declaration, { ...declaration, more: [1] }] }));
    const { code, out, err } = await explain(["a/b/pod/c", "--output", "json", "--server", server]);
    expect([code, err, JSON.parse(out)]).toEqual([
      0,
      "",
      { declarations: [declaration, { ...declaration, more: [1] }] },
    ]);
  });

  it("leaves out what is not known, and what could act on a terminal", async () => {
    const bare = {
      cluster: "c",
      kind: "pod",
      namespace: "n",
      name: "p",
      state: "Invalid",
      reason: "no \u001b[2J",
      nodes: [],
    };
    const server = await serve(json(200, { declarations: [{ ...bare, lastWrite: null }] }));
    const { out } = await explain(["c/n/pod/p", "--server", server]);
    expect(out).toBe(
      "c/n/pod/p is Invalid: no \u{fffd}[2J\n  nodes:      none\n  advice:     correct the declaration\n",
    );
  });
});
