import { describe, expect, it } from "vitest";
import { AdminClient } from "../../src/apisix/admin-client.ts";
import { failoverTransport } from "../../src/apisix/failover-transport.ts";
import { readList } from "../../src/apisix/read-list.ts";
import type { AdminResponse } from "../../src/apisix/transport.ts";
import { TranslatorError } from "../../src/errors.ts";
import { silentLog, systemClock } from "../../src/runtime.ts";

const id = `t-${"0123456789".repeat(4)}`;
const timeout = 5000;

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly server?: string;
  /** The connection breaks at the text's end. */
  readonly breaks?: boolean;
}

async function* bodyOf({ text, breaks = false }: Reply): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
  if (breaks) throw new TranslatorError("ADMIN_CONNECTION", "reset");
}

/** Two URLs that answer everything so, and which of them were asked. */
function twoUrls(first: Reply, second: Reply) {
  const asked: number[] = [];
  const answering = (reply: Reply, index: number) => ({
    url: `http://u${index}`,
    send: (): Promise<AdminResponse> => {
      asked.push(index);
      const { status, server = "nginx" } = reply;
      return Promise.resolve({ status, contentType: "", server, body: bodyOf(reply) });
    },
  });
  const transport = failoverTransport([answering(first, 0), answering(second, 1)], {
    clock: systemClock,
    log: silentLog,
  });
  const options = { transport, timeout, clock: systemClock, maxListBytes: 1000 };
  const list = (): Promise<string> =>
    readList(options, "routes", () => {}).catch((error: unknown) => String(error));
  return { asked, client: new AdminClient({ transport, timeout }), list };
}

const json = (status: number, body: unknown, server = "APISIX/3.18.0"): Reply => ({
  ...{ status, server },
  text: JSON.stringify(body),
});
const page = (status: number, server = "nginx"): Reply => ({ status, server, text: "<html>no</html>" });
const object = json(200, { key: `/apisix/upstreams/${id}`, value: { id, nodes: [] } });
const empty = json(200, { list: [], total: 0 });
const item = { key: `/apisix/routes/${id}`, value: { id }, createdIndex: 1 };

const ofNoUse: readonly (readonly [string, Reply])[] = [
  ["a welcome page", page(200)],
  ["JSON of another service", json(200, { status: "ok" })],
  ["401 of an APISIX with another key", json(401, { description: "wrong apikey" })],
  ["403 of a proxy", page(403)],
  ["404 of the data plane's port", json(404, { error_msg: "404 Route Not Found" })],
  ["404 of another gateway", json(404, { message: "no Route matched with those values" })],
  ["404 with a page", page(404)],
  ["400 with a page", page(400)],
  ["500 of another server", page(500)],
  ["302", page(302)],
  ["502", page(502)],
  ["503 of an APISIX without its etcd", json(503, { error_msg: "has no healthy etcd endpoint available" })],
  ["504", page(504)],
  ["an answer that breaks off", { ...object, text: "{", breaks: true }],
];

describe.each(ofNoUse)("several URLs, of which the first answers %s", (_, reply) => {
  it.each(["put", "remove", "read"] as const)(
    "a %s ends as it ended there, and the next one goes to the other URL and stays there",
    async (method) => {
      const { asked, client } = twoUrls(reply, object);
      const ask = () =>
        method === "put" ? client.put("upstream", id, "{}") : client[method]("upstream", id);
      expect(["retry", "unknown"]).toContain((await ask()).type);
      expect(["done", "found"]).toContain((await ask()).type);
      await ask();
      expect(asked).toEqual([0, 1, 1]);
    },
  );

  it("a list goes to the other URL the next time", async () => {
    const { asked, list } = twoUrls(reply, empty);
    expect(await list()).toContain("Error");
    expect(await list()).toBe("APISIX/3.18.0");
    await list();
    expect(asked).toEqual([0, 1, 1]);
  });
});

describe("several URLs", () => {
  it.each([
    ["a body that APISIX refuses", json(400, { error_msg: "invalid configuration" })],
    ["an upstream that is still used", json(400, { error_msg: "upstream [1], route is still using it now" })],
    ["what is not there", json(404, { message: "Key not found" })],
    ["a 500 of APISIX's own about one object", page(500, "APISIX/3.18.0")],
    ["too many requests", json(429, { error_msg: "slow down" })],
  ])("stay where the Admin API answers one request with %s", async (_, reply) => {
    const { asked, client } = twoUrls(reply, object);
    await client.remove("upstream", id);
    await client.remove("upstream", id);
    expect(asked).toEqual([0, 0]);
  });

  it.each([
    ["is too large", json(200, { list: [], total: 0, more: "x".repeat(1000) })],
    ["holds what cannot be read", json(200, { list: [{ ...item, value: { id, hosts: "a" } }], total: 1 })],
    ["is refused", json(400, { error_msg: "stream mode is disabled" })],
  ])("stay where a list of the Admin API %s", async (_, reply) => {
    const { asked, list } = twoUrls(reply, empty);
    expect(await list()).toContain("Error");
    expect(await list()).toContain("Error");
    expect(asked).toEqual([0, 0]);
  });

  it("tell of a key that all refuse as one URL does", async () => {
    const refusal = json(401, { description: "wrong apikey" });
    const { asked, client, list } = twoUrls(refusal, refusal);
    expect(await list()).toContain("APISIX refuses the admin key (401)");
    expect(await list()).toContain("APISIX refuses the admin key (401)");
    expect(await client.read("route", id)).toMatchObject({ reason: "APISIX refuses the admin key (401)" });
    expect(asked).toEqual([0, 1, 0]);
  });
});
