import { describe, expect, it } from "vitest";
import { HostPolicy } from "../../src/desired/host-policy.ts";

const policy = new HostPolicy([
  { namespaces: ["shop", "shop-*"], hosts: ["**.shop.example.com", "shop.example.com"] },
  { clusters: ["east-*"], namespaces: ["ops"], hosts: ["*.ops.example.com"] },
  { clusters: ["lab"], hosts: ["**.lab.example.com"] },
]);

describe("policy.hosts", () => {
  it("allows everybody everything where it is empty", () => {
    expect(new HostPolicy([]).refusal("east-1", "shop", ["*.com"])).toBeUndefined();
  });

  it.each<[string, string, string]>([
    ["east-1", "shop", "a.shop.example.com"],
    ["west", "shop-blue", "shop.example.com"],
    ["east-1", "ops", "a.ops.example.com"],
    ["lab", "whatever", "*.x.lab.example.com"],
    ["lab", "shop", "a.shop.example.com"],
  ])("%s/%s may have %s", (cluster, namespace, host) => {
    expect(policy.refusal(cluster, namespace, [host])).toBeUndefined();
  });

  it.each<[string, string, string, string]>([
    ["east-1", "team", "a.shop.example.com", "no host"],
    ["west", "ops", "a.ops.example.com", "no host"],
    ["east-1", "ops", "b.a.ops.example.com", "*.ops.example.com"],
    ["lab", "shop", "other.com", "**.shop.example.com, shop.example.com, **.lab.example.com"],
  ])("%s/%s may not have %s, and is told what is allowed: %s", (cluster, namespace, host, allowed) => {
    const sentence = `host is "${host}": policy.hosts does not allow it to namespace ${namespace} of cluster ${cluster}; allowed is ${allowed}`;
    expect(policy.refusal(cluster, namespace, [host])).toBe(sentence);
  });

  it("needs every host of a declaration to be allowed, and names the one that is not", () => {
    expect(policy.refusal("west", "shop", ["shop.example.com", "b.com", "c.com"])).toMatch(
      /^host is "b.com"/,
    );
  });

  it("names no more patterns than a person reads", () => {
    const hosts = Array.from({ length: 1000 }, (_, index) => `host-${index}.example.com`);
    expect(new HostPolicy([{ hosts }]).refusal("a", "b", ["c"])).toMatch(
      /host-7\.example\.com and 992 more$/,
    );
  });
});
