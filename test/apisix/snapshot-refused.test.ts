import { describe, expect, it } from "vitest";
import type { SnapshotOptions } from "../../src/apisix/snapshot.ts";
import { wrongTypes } from "../../src/sim/admin/spoil-reply.ts";
import { gateway, gatewayWithGroup, id, routeBody } from "./gateway-with-group.ts";
import type { Gateway } from "./gateway-with-group.ts";

describe("takeSnapshot, when APISIX is not well", () => {
  const code = async (it: Gateway, options?: Partial<SnapshotOptions>): Promise<unknown> => {
    const end: unknown = await it.look(options).catch((error: unknown) => error);
    return end instanceof Error && "code" in end ? end.code : "a snapshot";
  };

  it.each([0, 0.01, 0.5, 0.999])("A10: refuses a list that is cut off after %d of it", async (keep) => {
    await using it = await gatewayWithGroup();
    for (const resource of ["routes", "services", "upstreams"]) {
      const mend = it.server.admin.faults.add({ resource, fault: { kind: "body", keep, ending: "end" } });
      expect(await code(it)).toBe("ADMIN_PROTOCOL");
      mend();
    }
    expect(await code(it)).toBe("a snapshot");
  });

  it("A10: refuses a list whose connection breaks", async () => {
    await using it = await gatewayWithGroup();
    it.server.admin.faults.add({
      resource: "upstreams",
      fault: { kind: "body", keep: 0.5, ending: "reset" },
    });
    expect(await code(it)).toBe("ADMIN_CONNECTION");
  });

  it("refuses a list without end", async () => {
    await using it = await gatewayWithGroup();
    it.server.admin.faults.add({ resource: "routes", fault: { kind: "body", keep: 0.5, ending: "endless" } });
    expect(await code(it, { maxListBytes: 1 << 20 })).toBe("ADMIN_PROTOCOL");
  });

  it.each(wrongTypes)("A10: refuses a list with a wrong type: %s", async (what) => {
    await using it = await gatewayWithGroup();
    const resource = what === "nodes-number" ? "upstreams" : "routes";
    it.server.admin.faults.add({ resource, fault: { kind: "wrong-types", what } });
    expect(await code(it)).toBe("ADMIN_PROTOCOL");
  });

  it.each<[string, number, string, string]>([
    ["an HTML page", 200, "<html></html>", "ADMIN_PROTOCOL"],
    ["a redirect", 302, "<html></html>", "ADMIN_PROTOCOL"],
    ["the data plane", 404, '{"error_msg":"404 Route Not Found"}', "ADMIN_PROTOCOL"],
    ["a proxy's 502", 502, "<html></html>", "ADMIN_PROTOCOL"],
    ["another list", 200, '{"list":[],"total":1}', "ADMIN_PROTOCOL"],
    ["an Admin API of version v2", 200, '{"action":"get","count":0,"node":{"nodes":[]}}', "ADMIN_PROTOCOL"],
    [
      "a list of another collection",
      200,
      '{"list":[{"key":"/apisix/consumers/a","value":{},"createdIndex":1}],"total":1}',
      "ADMIN_PROTOCOL",
    ],
    ["an empty list that Lua wrote", 200, '{"list":{},"total":0}', "a snapshot"],
    [
      "an error of the Admin API",
      503,
      '{"error_msg":"has no healthy etcd endpoint available"}',
      "ADMIN_STATUS",
    ],
    ["too many requests", 429, '{"error_msg":"slow down"}', "ADMIN_STATUS"],
  ])("tells what answers: %s", async (_, status, body, expected) => {
    await using it = await gateway();
    const reply = { status, headers: { "content-type": "application/json" }, body };
    it.server.admin.faults.add({ fault: { kind: "reply", reply } });
    expect(await code(it)).toBe(expected);
  });

  it("refuses a list that names an object of ours twice", async () => {
    await using it = await gatewayWithGroup();
    const item = { key: `/apisix/routes/${id}`, value: routeBody(), createdIndex: 1, modifiedIndex: 1 };
    const body = JSON.stringify({ list: [item, item], total: 2 });
    it.server.admin.faults.add({
      resource: "routes",
      fault: { kind: "reply", reply: { status: 200, headers: {}, body } },
    });
    expect(await code(it)).toBe("ADMIN_PROTOCOL");
  });

  it("refuses an object that is nested without end", async () => {
    await using it = await gatewayWithGroup();
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    const value = JSON.stringify(routeBody()).replace(/}$/, `,"vars":${deep}}`);
    const body = `{"list":[{"key":"/apisix/routes/${id}","value":${value},"createdIndex":1}],"total":1}`;
    it.server.admin.faults.add({
      resource: "routes",
      fault: { kind: "reply", reply: { status: 200, headers: {}, body } },
    });
    expect(await code(it)).toBe("ADMIN_PROTOCOL");
  });

  it("names a refused key, and never shows it", async () => {
    await using it = await gateway();
    it.server.admin.faults.add({ fault: { kind: "wrong-key" } });
    const error: unknown = await it.look().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "ADMIN_STATUS", status: 401 });
    expect(String(error)).toContain("admin key");
    expect(String(error)).not.toContain(it.server.adminKey);
  });

  it("says so when etcd is down, or nobody is there", async () => {
    await using it = await gateway();
    it.server.admin.faults.setEtcd("down");
    expect(await code(it)).toBe("ADMIN_STATUS");
    await it.server.close();
    expect(await code(it)).toBe("ADMIN_CONNECTION");
  });
});
