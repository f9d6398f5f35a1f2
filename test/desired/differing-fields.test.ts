import { describe, expect, it } from "vitest";
import { validateRoutes } from "../../src/declare/parse.ts";
import { differingFields } from "../../src/desired/differing-fields.ts";
import { settingsOf } from "../../src/desired/settings.ts";
import type { Settings } from "../../src/desired/settings.ts";

function settings(fields: object): Settings {
  const { host = "a.example.com", uri = "/*" } = fields as { host?: string; uri?: string };
  const read = validateRoutes({ name: "web", port: 8080, ...fields });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const [declaration] = read.routes;
  if (declaration === undefined) throw new Error("nothing is declared");
  return settingsOf(declaration, [host], [uri]);
}

const plain = settings({});

describe("differingFields", () => {
  it("is empty for what asks for the same", () => {
    expect(differingFields(plain, settings({ retries: 1, priority: 0 }))).toEqual([]);
  });

  it.each<object>([
    { port: "http" },
    { host: "b.example.com" },
    { uri: "/b" },
    { methods: ["GET"] },
    { priority: 1 },
    { websocket: true },
    { rewrite: { uri: "/new" } },
    { plugins: { cors: {} } },
    { scheme: "https" },
    { timeout: { connect: 1, send: 1, read: 1 } },
    { retries: 2 },
    { passHost: "node" },
    { passHost: "c.example.com" },
    { loadBalancer: "ewma" },
    { loadBalancer: { chash: { hashOn: "header", key: "x-user" } } },
    { healthCheck: { path: "/" } },
    { via: "nodePort" },
    { publishNotReady: true },
  ])("names the field of %j alone, whichever of the two has it", (fields) => {
    const other = settings(fields);
    expect(other.key).not.toBe(plain.key);
    expect(differingFields(plain, other)).toEqual(Object.keys(fields));
    expect(differingFields(other, plain)).toEqual(Object.keys(fields));
  });

  it("names several in the order of the documentation", () => {
    expect(differingFields(plain, settings({ retries: 2, scheme: "https", port: 1 }))).toEqual([
      "port",
      "scheme",
      "retries",
    ]);
  });
});
