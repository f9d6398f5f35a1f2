import { describe, expect, it } from "vitest";
import { AdminClient } from "../../src/apisix/admin-client.ts";
import type { AdminTransport } from "../../src/apisix/transport.ts";
import { TranslatorError } from "../../src/errors.ts";
import { fencedTransport } from "../../src/lead/fenced-transport.ts";

const id = `t-${"0".repeat(40)}`;

function fenced(isOpen: boolean): {
  client: AdminClient;
  sent: string[];
  asked: number[];
  forfeits: string[];
} {
  const [sent, asked, forfeits]: [string[], number[], string[]] = [[], [], []];
  const send: AdminTransport = ({ method }) => {
    sent.push(method);
    return Promise.reject(new TranslatorError("ADMIN_CONNECTION", "nobody there"));
  };
  const transport = fencedTransport(send, {
    mayWrite: (timeout) => asked.push(timeout) > 0 && isOpen,
    forfeit: (reason) => forfeits.push(reason),
  });
  return { client: new AdminClient({ transport, timeout: 500 }), sent, asked, forfeits };
}

describe("the fence", () => {
  it("lets everything pass while the deadline is far, asked anew with each request's own timeout", async () => {
    const { client, sent, asked, forfeits } = fenced(true);
    await client.put("upstream", id, "{}");
    await client.remove("route", id);
    expect([sent, asked, forfeits]).toEqual([["PUT", "DELETE"], [500, 500], []]);
  });

  it("sends nothing that changes something after it: leadership counts as lost, and the request as not sent", async () => {
    const { client, sent, forfeits } = fenced(false);
    expect(await client.put("upstream", id, "{}")).toMatchObject({ type: "retry", scope: "gateway" });
    expect(await client.remove("route", id)).toMatchObject({ type: "retry", scope: "gateway" });
    expect([sent, forfeits.length]).toEqual([[], 2]);
  });

  it("never stands in the way of a read", async () => {
    const { client, sent, asked } = fenced(false);
    await client.read("route", id);
    expect([sent, asked]).toEqual([["GET"], []]);
  });
});
