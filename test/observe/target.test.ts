import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTarget } from "../../src/observe/target.ts";

const message = (text: string): string => {
  const result = parseTarget(text);
  return result.ok ? JSON.stringify(result.target) : result.message;
};

describe("parseTarget", () => {
  it.each([
    [
      "east-1/shop/pod/web-1",
      { kind: "object", cluster: "east-1", namespace: "shop", source: "pod", name: "web-1" },
    ],
    ["a/b/service/c", { kind: "object", cluster: "a", namespace: "b", source: "service", name: "c" }],
    ["a/b/pod/web.v2", { kind: "object", cluster: "a", namespace: "b", source: "pod", name: "web.v2" }],
    ["shop.example.com", { kind: "pair", host: "shop.example.com", uri: undefined }],
    ["Shop.Example.com.", { kind: "pair", host: "shop.example.com", uri: undefined }],
    ["*.example.com", { kind: "pair", host: "*.example.com", uri: undefined }],
    ["shop.example.com/", { kind: "pair", host: "shop.example.com", uri: "/" }],
    ["shop.example.com/*", { kind: "pair", host: "shop.example.com", uri: "/*" }],
    ["shop.example.com/v1/pod/x", { kind: "pair", host: "shop.example.com", uri: "/v1/pod/x" }],
    ["shop/v1/node/x", { kind: "pair", host: "shop", uri: "/v1/node/x" }],
    ["10.0.0.1/a", { kind: "pair", host: "10.0.0.1", uri: "/a" }],
    ["[::1]/a", { kind: "pair", host: "[::1]", uri: "/a" }],
  ])("reads %s", (text, target) => {
    expect(parseTarget(text)).toEqual({ ok: true, target });
  });

  it.each([
    ["", "a target must not be empty"],
    ["/a", "a host must not be empty"],
    ["http://shop.example.com", "a target has no scheme"],
    ["shop.example.com:8080", "a host has no port"],
    ["shop.example.com/a b", "a target has no space or control character"],
    ["shop.example.com/\u001b[2J", "a target has no space or control character"],
    ["a/B/pod/c", '"B" cannot be the name of a namespace'],
    ["a/b/pod/C", '"C" cannot be the name of a Pod'],
    ["a/b/service/", '"" cannot be the name of a Service'],
    ["h/".padEnd(5000, "x"), "a target has at most 4350 characters"],
  ])("refuses %s and says what is allowed", (text, fault) => {
    expect(message(text)).toBe(
      `${fault}; allowed: cluster/namespace/pod/name, cluster/namespace/service/name, a host, or host/uri`,
    );
  });

  it("answers every text, and never with an object whose names hold a slash", () => {
    const word = fc.oneof(
      fc.constantFrom("pod", "service", "a", "b-1", "A", "", "a.b"),
      fc.string({ maxLength: 5 }),
    );
    const path = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join("/"));
    fc.assert(
      fc.property(fc.oneof(fc.string(), path), (text) => {
        const result = parseTarget(text);
        if (!result.ok || result.target.kind !== "object") return;
        const { cluster, namespace, source, name } = result.target;
        expect(`${cluster}/${namespace}/${source}/${name}`).toBe(text);
      }),
    );
  });
});
