import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { pod, withReady, type PodOptions } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born } from "../scenarios/pods.ts";
import { startEcho, type EchoServer } from "./echo-server.ts";
import { theLiveEnvironment } from "./environment.ts";
import { through, type GatewayAnswer } from "./gateway-client.ts";

const { proxyUrl, echoHost } = theLiveEnvironment();
const names = ["a", "b", "c", "d"] as const;

describe.skipIf(proxyUrl === undefined)("who answers through the gateway (APISIX_PROXY_URL)", () => {
  const echoes = new Map<string, EchoServer>();

  beforeAll(async () => {
    for (const who of names) echoes.set(who, await startEcho(who, echoHost));
  });

  afterAll(async () => {
    for (const echo of echoes.values()) await echo[Symbol.asyncDispose]();
  });

  /** A Pod behind whose address the echo server of its name listens; its port has a name, its number is the server's. */
  const answering = (who: string, host: string, fields: object = {}, options: Partial<PodOptions> = {}) =>
    pod({
      ...{ namespace: "shop", name: who, ip: echoHost },
      ports: [{ name: "http", containerPort: echoes.get(who)?.port ?? 0 }],
      routes: [{ name: "web", port: "http", host, ...fields }],
      ...options,
    });
  const ask = (host: string, path = "/", method = "GET"): Promise<GatewayAnswer> =>
    through(proxyUrl ?? "", { host, path, method });
  /** The gateway follows its etcd a moment after the Admin API has answered. */
  const until = (
    pipeline: Pipeline,
    host: string,
    holds: (answer: GatewayAnswer) => boolean,
  ): Promise<void> => pipeline.until(`the answer of ${host}`, async () => holds(await ask(host)));
  const by = (who: string) => (answer: GatewayAnswer) => answer.echo?.who === who;
  const withStatus = (status: number) => (answer: GatewayAnswer) => answer.status === status;
  /** Who answered how often, of so many requests; a status where nobody did. */
  const tally = async (host: string, requests: number): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (let sent = 0; sent < requests; sent++) {
      const { status, echo } = await ask(host);
      const who = echo?.who ?? String(status);
      counts[who] = (counts[who] ?? 0) + 1;
    }
    return counts;
  };

  it("each host reaches its own Pod, of whichever cluster, with its Host and path; other hosts reach none", async () => {
    const pipeline = await Pipeline.start(["east", "west"]);
    pipeline.store("east").create("pods", answering("a", "a.example.com"));
    pipeline
      .store("west")
      .create("pods", answering("b", "*.wild.example.com", { uris: ["/in/*", "/exactly"] }));
    await until(pipeline, "a.example.com", by("a"));
    await pipeline.until("b", async () => (await ask("x.wild.example.com", "/in/b?c=d")).echo?.who === "b");
    expect(await ask("a.example.com", "/some/path?q=1", "POST")).toEqual({
      status: 200,
      echo: { who: "a", method: "POST", path: "/some/path?q=1", host: "a.example.com" },
    });
    expect(await ask("x.wild.example.com", "/in/b?c=d")).toMatchObject({ echo: { path: "/in/b?c=d" } });
    expect(await ask("y.x.wild.example.com", "/exactly")).toMatchObject({ echo: { who: "b" } });
    for (const [host, path] of [
      ["x.wild.example.com", "/out"],
      ["wild.example.com", "/exactly"],
      ["c.example.com", "/"],
    ] as const)
      expect((await ask(host, path)).echo, host).toBeUndefined();
  });

  it("rewrites, methods and the Host that is passed on are as declared", async () => {
    const pipeline = await Pipeline.start(["east"]);
    const declared = {
      a: { uri: "/api/*", rewrite: { stripPrefix: "/api" }, methods: ["GET"] },
      b: { uri: "/old", rewrite: { uri: "/new" } },
      c: { passHost: "inner.example.com" },
    };
    for (const [who, fields] of Object.entries(declared))
      pipeline.store("east").create("pods", answering(who, `${who}.example.com`, fields));
    await until(pipeline, "c.example.com", by("c"));
    await pipeline.until("a", async () => (await ask("a.example.com", "/api/x")).echo !== undefined);
    await pipeline.until("b", async () => (await ask("b.example.com", "/old")).echo !== undefined);
    expect((await ask("a.example.com", "/api/x?y=z")).echo?.path).toBe("/x?y=z");
    expect((await ask("a.example.com", "/api/x", "POST")).status).toBe(404);
    expect((await ask("b.example.com", "/old")).echo?.path).toBe("/new");
    expect((await ask("c.example.com")).echo?.host).toBe("inner.example.com");
  });

  it("a group's requests reach its ready Pods and no other; none ready is 503; a Pod that goes takes its route with it", async () => {
    const pipeline = await Pipeline.start(["east"]);
    const store = pipeline.store("east");
    const host = "group.example.com";
    for (const who of ["a", "b"]) store.create("pods", answering(who, host, {}, { owner: "group" }));
    await pipeline.until(
      "both answer",
      async () =>
        Object.keys(await tally(host, 8))
          .toSorted()
          .join() === "a,b",
    );
    const ready = (who: string, isReady: boolean): void =>
      void store.patch("pods", `shop/${who}`, (object) => withReady(object, isReady));

    ready("a", false);
    await pipeline.until("b alone", async () => (await tally(host, 8))["b"] === 8);
    ready("b", false);
    await until(pipeline, host, withStatus(503));
    ready("a", true);
    await until(pipeline, host, by("a"));
    for (const who of ["a", "b"]) store.remove("pods", `shop/${who}`);
    await until(pipeline, host, withStatus(404));
  });

  it("the older of two Pods answers for their host; when it goes, the other does, and never both or anybody else", async () => {
    const pipeline = await Pipeline.start(["east", "west"]);
    const host = "both.example.com";
    pipeline.store("west").create("pods", answering("d", host, {}, { created: born(9) }));
    pipeline.store("east").create("pods", answering("c", host, {}, { created: born(1) }));
    await until(pipeline, host, ({ echo }) => echo !== undefined);
    await pipeline.caughtUp();
    const first = (await ask(host)).echo?.who ?? "";
    expect(await tally(host, 20)).toEqual({ [first]: 20 });
    const [holder, heir, cluster] = first === "c" ? ["c", "d", "east"] : ["d", "c", "west"];
    pipeline.store(cluster).patch("pods", `shop/${holder}`, (object) => withRoutes(object, "[]"));
    await until(pipeline, host, by(heir));
    expect(await tally(host, 20)).toEqual({ [heir]: 20 });
  });

  it("a rollout and a restart of the translator fail no request", async () => {
    const pipeline = await Pipeline.start(["east"]);
    const store = pipeline.store("east");
    const host = "roll.example.com";
    store.create("pods", answering("a", host, {}, { owner: "roll" }));
    await until(pipeline, host, by("a"));
    let isOver = false;
    const clients = Array.from({ length: 2 }, async () => {
      const failed: GatewayAnswer[] = [];
      while (!isOver) {
        const answer = await ask(host);
        if (answer.status !== 200) failed.push(answer);
      }
      return failed;
    });
    for (const [next, last] of [
      ["b", "a"],
      ["c", "b"],
      ["d", "c"],
    ] as const) {
      store.create("pods", answering(next, host, {}, { owner: "roll" }));
      await until(pipeline, host, by(next));
      store.patch("pods", `shop/${last}`, (object) => withReady(object, false));
      await pipeline.until(`${next} alone`, async () => (await tally(host, 8))[next] === 8);
      store.remove("pods", `shop/${last}`);
    }
    const { mark } = pipeline;
    await pipeline.restart();
    await pipeline.reconciled();
    await pipeline.caughtUp();
    isOver = true;
    expect((await Promise.all(clients)).flat()).toEqual([]);
    expect(pipeline.writesSince(mark)).toEqual([]);
  });
});
