import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AdminClient } from "../../src/apisix/admin-client.ts";
import { NotSent } from "../../src/apisix/not-sent.ts";
import type { AdminRequest, AdminResponse } from "../../src/apisix/transport.ts";
import { TranslatorError } from "../../src/errors.ts";

const id = `t-${"0123456789".repeat(4)}`;

interface Reply {
  readonly status: number;
  readonly body: string | readonly Uint8Array[];
  readonly server?: string;
}

/** A client whose transport gives one answer, and what it was asked. */
function clientOf(reply: Reply | Error): {
  client: AdminClient;
  asked: AdminRequest[];
  wasLeftEarly: () => boolean;
} {
  const asked: AdminRequest[] = [];
  let isLeftEarly = false;
  async function* body(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
    let isDone = false;
    try {
      yield* chunks;
      isDone = true;
    } finally {
      isLeftEarly = !isDone;
    }
  }
  const transport = (request: AdminRequest): Promise<AdminResponse> => {
    asked.push(request);
    if (reply instanceof Error) return Promise.reject(reply);
    const chunks = typeof reply.body === "string" ? [new TextEncoder().encode(reply.body)] : reply.body;
    const { status, server = "APISIX/3.18.0" } = reply;
    return Promise.resolve({ status, contentType: "application/json", server, body: body(chunks) });
  };
  return { client: new AdminClient({ transport, timeout: 5000 }), asked, wasLeftEarly: () => isLeftEarly };
}

const put = (reply: Reply | Error, resource: "route" | "upstream" = "route") =>
  clientOf(reply).client.put(resource, id, "{}");
const remove = (reply: Reply | Error) => clientOf(reply).client.remove("upstream", id);
const read = (reply: Reply | Error) => clientOf(reply).client.read("route", id);

const json = (status: number, body: unknown): Reply => ({ status, body: JSON.stringify(body) });
const html = (status: number, server = "nginx"): Reply => ({ status, server, body: "<html>no</html>" });
const stored = { key: `/apisix/routes/${id}`, value: { id, uri: "/" } };

/** A recorded answer, with ids replaced by ours. */
function recorded(name: string): Reply {
  for (const file of ["01-crud", "02-invalid", "03-auth-method-path", "06-etcd-down"]) {
    const text = readFileSync(new URL(`../contract/data/apisix-3.18/${file}.jsonl`, import.meta.url), "utf8");
    for (const line of text.split("\n")) {
      if (line === "") continue;
      const exchange = JSON.parse(line) as {
        name: string;
        response: { status: number; headers: { server: string }; body: unknown };
      };
      if (exchange.name !== name) continue;
      const { status, headers, body } = exchange.response;
      return { status, server: headers.server, body: typeof body === "string" ? body : JSON.stringify(body) };
    }
  }
  throw new Error(`no exchange ${name}`);
}

describe("AdminClient", () => {
  it("asks for the object under its id, with the body as it is", async () => {
    const { client, asked } = clientOf(json(201, stored));
    await client.put("route", id, '{"uri":"/"}');
    await client.remove("upstream", id);
    await client.read("route", id);
    expect(asked.map(({ method, path, body }) => [method, path, body])).toEqual([
      ["PUT", `/apisix/admin/routes/${id}`, '{"uri":"/"}'],
      ["DELETE", `/apisix/admin/upstreams/${id}`, undefined],
      ["GET", `/apisix/admin/routes/${id}`, undefined],
    ]);
    expect(asked.every(({ timeout }) => timeout === 5000)).toBe(true);
  });

  it.each(["a/b", "a%2Fb", "", "t-1", `${id}0`, "../routes"])("never asks for the id %j", async (wrong) => {
    const { client, asked } = clientOf(json(200, stored));
    await expect(client.put("route", wrong, "{}")).rejects.toThrow(RangeError);
    await expect(client.remove("route", wrong)).rejects.toThrow(RangeError);
    expect(asked).toEqual([]);
  });

  it("takes created and replaced for done, and a DELETE of what is not there too", async () => {
    expect(await put(json(201, stored))).toEqual({ type: "done", status: 201 });
    expect(await put(json(200, stored))).toEqual({ type: "done", status: 200 });
    expect(await remove(json(200, { deleted: "1", key: `/apisix/upstreams/${id}` }))).toMatchObject({
      type: "done",
    });
    expect(await remove(recorded("delete upstream missing"))).toEqual({ type: "done", status: 404 });
  });

  it("takes a key under another etcd prefix", async () => {
    expect(await put(json(201, { ...stored, key: `/my/prefix/routes/${id}` }))).toMatchObject({
      type: "done",
    });
  });

  it("repeats a DELETE while the upstream is still used", async () => {
    const result = await remove(recorded("delete upstream referenced by route"));
    expect(result).toMatchObject({ type: "retry", scope: "id", status: 400 });
  });

  it("repeats a route PUT whose upstream is not there, for this id alone", async () => {
    expect(await put(recorded("route put unknown upstream_id"))).toMatchObject({
      type: "retry",
      scope: "id",
    });
  });

  it("A4: takes the 400 that only reports etcd for the gateway's", async () => {
    for (const name of ["etcd killed: PUT route with upstream_id", "etcd hung (SIGSTOP): PUT route"]) {
      expect(await put(recorded(name))).toMatchObject({ type: "retry", scope: "gateway", status: 400 });
    }
    expect(await put(recorded("etcd killed: PUT upstream"))).toMatchObject({
      type: "retry",
      scope: "gateway",
    });
    expect(await remove(recorded("etcd killed: DELETE route"))).toMatchObject({
      type: "retry",
      scope: "gateway",
    });
  });

  it("takes a 503 that does not say that etcd was not reached for a write that may be applied", async () => {
    const result = await put(json(503, { error_msg: "etcdserver: request timed out" }));
    expect(result).toMatchObject({ type: "unknown", scope: "gateway", status: 503 });
  });

  it("refuses what APISIX finds wrong with the body", async () => {
    for (const name of [
      "etcd killed: invalid body still 400",
      "route: plugin bad config",
      "upstream: type chash without key",
      "body 2MB",
      "body malformed json",
    ]) {
      expect(await put(recorded(name), "upstream")).toMatchObject({ type: "refused", status: 400 });
    }
    expect(await put(html(413))).toMatchObject({ type: "refused", status: 413 });
  });

  it.each([
    "has no healthy etcd endpoint available",
    "route [x] is still using it now",
    "failed to fetch upstream info by upstream id [x], response code: 404",
  ])("is not fooled by a user's text in a refusal: %s", async (text) => {
    const message = `invalid configuration: property "name" validation failed: failed to match with "${text}`;
    expect(await put(json(400, { error_msg: message }))).toMatchObject({ type: "refused" });
    expect(await put(json(400, { error_msg: `invalid configuration: ${text}` }))).toMatchObject({
      type: "refused",
    });
  });

  it("keeps a refusal short", async () => {
    const result = await put(json(400, { error_msg: "x".repeat(50_000) }));
    expect(result).toMatchObject({ type: "refused" });
    expect(JSON.stringify(result).length).toBeLessThan(700);
  });

  it("names a refused key, for all requests", async () => {
    for (const name of ["wrong key", "no key PUT", "viewer PUT"]) {
      const result = await put(recorded(name));
      expect(result).toMatchObject({ type: "retry", scope: "gateway", status: 401 });
      expect(result).toHaveProperty("reason", expect.stringContaining("admin key"));
    }
    expect(await put(html(403))).toMatchObject({ type: "retry", scope: "gateway" });
    expect(await put(html(429))).toMatchObject({ type: "retry", scope: "gateway" });
  });

  it.each<[string, Reply]>([
    ["a redirect", html(302)],
    ["an HTML page", html(200)],
    ["an HTML page for a missing resource", html(404)],
    ["the data plane's 404", json(404, { error_msg: "404 Route Not Found" })],
    ["an unsupported resource", json(404, { error_msg: "Unsupported resource type: routes" })],
    ["a wrong method", json(405, { error_msg: "no" })],
    ["a proxy's 400", html(400)],
    ["a proxy's 502", html(502)],
    ["JSON that is cut off", { status: 200, body: JSON.stringify(stored).slice(0, -1) }],
    ["an empty body", { status: 201, body: "" }],
    ["a list", json(200, [])],
    ["null", json(200, null)],
    ["another object's answer", json(200, { key: "/apisix/routes/other", value: {} })],
    ["another collection's answer", json(200, { key: `/apisix/services/${id}` })],
    ["an object of API version v2", json(200, { action: "set", node: { key: `/apisix/routes/${id}` } })],
    ["a success without content", { status: 204, body: "" }],
    ["bytes that are not UTF-8", { status: 200, body: [Uint8Array.of(0x7b, 0xff, 0x7d)] }],
  ])("does not know what became of a write that %s answers", async (_, reply) => {
    expect(await put(reply)).toMatchObject({ type: "unknown", scope: "gateway" });
    expect(await remove(reply)).toMatchObject({ type: "unknown", scope: "gateway" });
    expect(await read(reply)).toMatchObject({ type: "retry", scope: "gateway" });
  });

  it("takes APISIX's own 500 for this object's affair", async () => {
    expect(await put(recorded("upstream: nodes string"))).toMatchObject({ type: "unknown", scope: "id" });
    expect(await put(html(500))).toMatchObject({ type: "unknown", scope: "gateway" });
  });

  it("stops reading an answer without end", async () => {
    const chunk = new Uint8Array(32 << 10);
    for (const status of [400, 200]) {
      const { client, wasLeftEarly } = clientOf({ status, body: Array.from({ length: 300 }, () => chunk) });
      expect(await client.put("route", id, "{}")).toMatchObject({ type: "unknown" });
      expect(wasLeftEarly()).toBe(true);
    }
  });

  it("tells a request that was not sent from one that got no answer", async () => {
    const lost = new TranslatorError("ADMIN_CONNECTION", "reset");
    const unsent = new TranslatorError("ADMIN_CONNECTION", "refused", { cause: new NotSent(undefined) });
    expect(await put(lost)).toEqual({ type: "unknown", scope: "gateway", reason: "reset" });
    expect(await put(unsent)).toEqual({ type: "retry", scope: "gateway", reason: "refused" });
    expect(await read(lost)).toEqual({ type: "retry", scope: "gateway", reason: "reset" });
    expect(await put(new TranslatorError("ABORTED", "off"))).toMatchObject({ type: "unknown", scope: "id" });
  });

  it("does not hide a bug", async () => {
    await expect(put(new TypeError("bug"))).rejects.toThrow(TypeError);
  });

  it("reads an object, or its absence", async () => {
    expect(await read(json(200, { ...stored, createdIndex: 7 }))).toEqual({
      type: "found",
      object: stored.value,
    });
    expect(await read(recorded("upstream get missing 404"))).toEqual({ type: "absent" });
  });

  it.each<[string, unknown]>([
    ["no value", { key: stored.key }],
    ["a value that is text", { ...stored, value: "x" }],
    ["labels that are a list", { ...stored, value: { ...stored.value, labels: ["a"] } }],
    ["a label that is a number", { ...stored, value: { ...stored.value, labels: { a: 1 } } }],
    ["hosts that are a number", { ...stored, value: { ...stored.value, hosts: 1 } }],
  ])("does not take %s for an object", async (_, body) => {
    expect(await read(json(200, body))).toMatchObject({ type: "retry", scope: "gateway" });
  });
});
