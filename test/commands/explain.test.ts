import { createServer, type RequestListener } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { runCommand } from "../../src/commands/cli.ts";
import { recordedIo } from "./recorded-io.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
}

const json =
  (status: number, body: unknown): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };

async function explain(
  words: readonly string[],
  signal?: AbortSignal,
): Promise<{ code: number; out: string; err: string }> {
  const { io, out, err } = recordedIo(signal === undefined ? {} : { signal });
  return { code: await runCommand(["explain", ...words], "1.2.3", io), out: out(), err: err() };
}

const declaration = {
  cluster: "east-1",
  kind: "pod",
  namespace: "shop",
  name: "web-1",
  route: "web",
  state: "Conflict",
  reason: "shop.example.com/* is held by east-2/shop/pod/web-9",
  hosts: ["shop.example.com"],
  uris: ["/*", "/api/*"],
  id: "t-0123",
  nodes: ["10.0.0.1:8080"],
  lastWrite: { at: "2026-01-02T03:04:05Z", resource: "route", status: 201 },
};

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

  it.each([
    ["a/b/pod/c", 'nothing is known of a/b/pod/c: there is no cluster "a"; there are x, y\n'],
    [
      "east-1/shop/web",
      "nothing is known of the host and uri east-1/shop/web; did you mean east-1/shop/pod/web?\n",
    ],
    [
      "east-1/shop/pods/w",
      "nothing is known of the host and uri east-1/shop/pods/w; did you mean east-1/shop/pod/w?\n",
    ],
    [
      "east-1/shop/Service/w",
      "nothing is known of the host and uri east-1/shop/Service/w; did you mean east-1/shop/service/w?\n",
    ],
    ["a/b/Pod/c", 'nothing is known of a/b/pod/c: there is no cluster "a"; there are x, y\n'],
    ["east-2/shop/web", 'nothing is known of east-2/shop/web: there is no cluster "a"; there are x, y\n'],
    ["a.b/c/d", 'nothing is known of a.b/c/d: there is no cluster "a"; there are x, y\n'],
  ])("says why nothing is known of %s, or what may be meant", async (target, err) => {
    const unknown = 'there is no cluster "a"; there are x, y';
    const server = await serve((request, response) => {
      const isThere = /east-1%2Fshop%2F(pod|service)%2F/.test(request.url ?? "");
      json(200, { declarations: isThere ? [declaration] : [], foreign: [], unknown })(request, response);
    });
    expect(await explain([target, "--server", server])).toEqual({ code: 1, out: "", err });
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

  it.each([
    ["404", 404, { error: "unknown" }],
    ["an empty list", 200, { declarations: [] }],
    ["404 with an empty list", 404, { declarations: [] }],
  ])("exits 1 where nothing is known: %s", async (_, status, body) => {
    const server = await serve(json(status, body));
    const text = await explain(["nobody.example.com", "--server", server]);
    expect(text).toEqual({ code: 1, out: "", err: "nothing is known of nobody.example.com\n" });
    const asJson = await explain(["nobody.example.com", "--server", server, "--output=json"]);
    expect([asJson.code, JSON.parse(asJson.out)]).toEqual([1, { declarations: [] }]);
  });

  it.each([(leader: string) => leader, (leader: string) => leader.replace("http://", "")])(
    "follows a standby to its leader, once",
    async (written) => {
      const leader = await serve(json(200, { declarations: [declaration] }));
      const standby = await serve(json(503, { leader: written(leader) }));
      expect((await explain(["a.b", "--server", standby])).code).toBe(0);
      const before = await serve(json(503, { leader: standby }));
      const lost = await explain(["a.b", "--server", before]);
      expect(lost).toEqual({
        code: 1,
        out: "",
        err: `${standby} was named as the leader, and does not lead; try again\n`,
      });
    },
  );

  it("says whose word it is where a leader is named that is gone", async () => {
    const standby = await serve(json(503, { leader: "http://127.0.0.1:1" }));
    const { code, err } = await explain(["a.b", "--server", standby]);
    expect(code).toBe(1);
    expect(err).toContain(
      `${standby} stands by; it says the leader is at http://127.0.0.1:1, which cannot be reached: `,
    );
    expect(err).toContain("; it may have just ended: try again\n");
  });

  it.each([[{}], [{ leader: "" }], [{ leader: 5 }], [{ leader: "file:///etc/passwd" }], ["x"], [null]])(
    "does not follow %j",
    async (body) => {
      const standby = await serve(json(503, body));
      const ran = await explain(["a.b", "--server", standby]);
      expect(ran).toEqual({
        code: 1,
        out: "",
        err: `${standby} does not lead, and knows no leader; try again\n`,
      });
    },
  );

  it.each<[string, RequestListener, number]>([
    ["HTML", (_, response) => response.end("<html>"), 200],
    ["another 404", (_, response) => response.writeHead(404).end("no such page"), 404],
    ["a redirect", (_, response) => response.writeHead(302, { location: "/" }).end(), 302],
    ["JSON of another kind", json(200, [1]), 200],
    ["a list of what is no declaration", json(200, { declarations: [1] }), 200],
    ["a fault", json(500, { declarations: [] }), 500],
  ])("says so where the answer is %s", async (_, answer, status) => {
    const server = await serve(answer);
    const err = `${server} answered ${status}, and not as an instance of the translator does\n`;
    expect(await explain(["a.b", "--server", server])).toEqual({ code: 1, out: "", err });
  });

  it("says so where nobody listens, or the connection breaks", async () => {
    const broken = await serve((request) => request.socket.destroy());
    const ran = await explain(["a.b", "--server", broken]);
    expect([ran.code, ran.out]).toEqual([1, ""]);
    expect(ran.err).toMatch(
      /^cannot reach http:\/\/127.0.0.1:\d+: .+; is an instance running, and is this its observe.listen\?\n$/,
    );
  });

  it("ends when it is called off", async () => {
    const stop = new AbortController();
    const server = await serve(() => stop.abort());
    expect((await explain(["a.b", "--server", server], stop.signal)).code).toBe(1);
  });

  it.each([
    [["http://a.b"], 'TARGET got "http://a.b": a target has no scheme; allowed: '],
    [["a.b", "--server", "http://u:hush@a"], "--server: allowed: an http or https URL without credentials"],
  ])("%j is bad usage", async (words, line) => {
    const ran = await explain(words);
    expect([ran.code, ran.out]).toEqual([2, ""]);
    expect(ran.err).toContain(line);
    expect(ran.err).not.toContain("hush");
  });
});
