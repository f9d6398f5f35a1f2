import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalIgnoringDefaults } from "../../src/apisix/canonical.ts";
import type { Json, JsonObject } from "../../src/apisix/types.ts";
import { jsonValues, keys, shuffled } from "./shuffled.ts";

const upstream: JsonObject = {
  checks: {
    active: {
      healthy: { interval: 2, successes: 1 },
      http_path: "/h",
      type: "http",
      unhealthy: { http_failures: 3 },
    },
  },
  labels: { a: "b" },
  nodes: [
    { host: "10.0.0.1", port: 80, weight: 100 },
    { host: "10.0.0.2", port: 80, weight: 100 },
  ],
  retries: 1,
  type: "roundrobin",
};

/** What an APISIX before 3.14 stores for it. */
const stored: JsonObject = {
  ...upstream,
  id: "t-1",
  create_time: 1,
  update_time: 2,
  hash_on: "vars",
  scheme: "http",
  pass_host: "pass",
  nodes: [
    { host: "10.0.0.2", port: 80, weight: 100, priority: 0 },
    { host: "10.0.0.1", port: 80, weight: 100, priority: 0 },
  ],
  checks: {
    active: {
      concurrency: 10,
      healthy: { interval: 2, successes: 1, http_statuses: [200, 302] },
      http_path: "/h",
      https_verify_certificate: true,
      timeout: 1,
      type: "http",
      unhealthy: {
        http_failures: 3,
        http_statuses: [429, 404, 500, 501, 502, 503, 504, 505],
        interval: 1,
        tcp_failures: 2,
        timeouts: 3,
      },
    },
  },
};

describe("equalIgnoringDefaults", () => {
  it("takes what an old APISIX stores for what was written", () => {
    expect(equalIgnoringDefaults(upstream, stored)).toBe(true);
    const route: JsonObject = { uri: "/*", plugins: { "proxy-rewrite": { uri: "/a" } } };
    const storedRoute: JsonObject = {
      uri: "/*",
      priority: 0,
      status: 1,
      plugins: { "proxy-rewrite": { uri: "/a", use_real_request_uri_unsafe: false } },
    };
    expect(equalIgnoringDefaults(route, storedRoute)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ["another value where a default may stand", { ...stored, scheme: "https" }],
    ["a field that is no default", { ...stored, desc: "edited" }],
    [
      "a node's weight",
      {
        ...stored,
        nodes: [{ host: "10.0.0.1", port: 80, weight: 1 }, (stored["nodes"] as Json[])[0] as Json],
      },
    ],
    [
      "a node's priority",
      {
        ...upstream,
        nodes: [
          { host: "10.0.0.1", port: 80, weight: 100, priority: 1 },
          { host: "10.0.0.2", port: 80, weight: 100 },
        ],
      },
    ],
    ["a node less", { ...upstream, nodes: [{ host: "10.0.0.1", port: 80, weight: 100 }] }],
    ["nodes as an empty map", { ...upstream, nodes: {} }],
    ["a label", { ...stored, labels: { a: "c" } }],
    ["a label more", { ...stored, labels: { a: "b", c: "d" } }],
    ["a key with dots in it", { ...stored, "checks.active.timeout": 1 }],
    ["another type", { ...stored, retries: "1" }],
    [
      "a default at another depth",
      { ...stored, checks: { ...(stored["checks"] as JsonObject), scheme: "http" } },
    ],
    [
      "statuses in another order",
      {
        ...stored,
        checks: {
          active: {
            ...((stored["checks"] as JsonObject)["active"] as JsonObject),
            healthy: { interval: 2, successes: 1, http_statuses: [302, 200] },
          },
        },
      },
    ],
  ])("sees %s", (_, found) => {
    expect(equalIgnoringDefaults(upstream, found)).toBe(false);
  });

  it("does not take the absence of a desired field for its default", () => {
    expect(equalIgnoringDefaults({ uri: "/", priority: 0 }, { uri: "/" })).toBe(false);
  });

  it("takes empty arrays and objects for one another, and numbers as cjson writes them", () => {
    expect(
      equalIgnoringDefaults({ nodes: [], plugins: { cors: {} } }, { nodes: {}, plugins: { cors: [] } }),
    ).toBe(true);
    expect(equalIgnoringDefaults({ a: 1234567890123456 }, { a: 1.2345678901235e15 })).toBe(true);
    expect(equalIgnoringDefaults({ a: 8080 }, { a: 8081 })).toBe(false);
    expect(equalIgnoringDefaults({ a: 0 }, { a: 1e-20 })).toBe(false);
  });

  it("holds for any object and itself in another order, and ends as soon as a field is added", () => {
    fc.assert(
      fc.property(fc.dictionary(keys(), jsonValues, { maxKeys: 5 }), fc.nat(), (body, seed) => {
        const found = shuffled(body, seed) as JsonObject;
        expect(equalIgnoringDefaults(body, found)).toBe(true);
        expect(equalIgnoringDefaults(body, { ...found, "a field": 0 })).toBe(false);
      }),
    );
  });
});
