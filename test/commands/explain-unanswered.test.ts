import type { RequestListener } from "node:http";
import { describe, expect, it } from "vitest";
import { declaration, explain, json, serve } from "./explain-harness.ts";

describe("explain", () => {
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

  it.each([
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
    ["a redirect", (_, response) => response.writeHead(302, { location: "/" }).end(), 302],
    ["JSON of another kind", json(200, [1]), 200],
    ["a list of what is no declaration", json(200, { declarations: [1] }), 200],
    ["a fault", json(500, { declarations: [] }), 500],
  ])("says so where the answer is %s", async (_, answer, status) => {
    const server = await serve(answer);
    const err = `${server} answered ${status}, and not as an instance of the translator does\n`;
    expect(await explain(["a.b", "--server", server])).toEqual({ code: 1, out: "", err });
  });

  it.each<[string, RequestListener]>([
    ["observe.admin", json(404, { error: "there is no such path; there are POST /guard/approve" })],
    ["APISIX", json(404, { error_msg: "404 Route Not Found" })],
    ["a web server", (_, response) => response.writeHead(404).end("no such page")],
  ])("says of nothing that it is unknown where it was %s that was asked", async (_, answer) => {
    const server = await serve(answer);
    const err = `${server} has no /explain: is this the observe.listen of an instance? Its observe.admin, which other commands ask, is another address\n`;
    expect(await explain(["a.b", "--server", server])).toEqual({ code: 1, out: "", err });
    expect(await explain(["a.b", "--server", server, "--output=json"])).toEqual({ code: 1, out: "", err });
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
