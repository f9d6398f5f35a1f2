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
    ["lab", "shop", "other.com", "**.shop.example.com, shop.example.com, **.lab.example.com"],
  ])("%s/%s may not have %s, and is told what is allowed: %s", (cluster, namespace, host, allowed) => {
    const sentence = `host is "${host}": policy.hosts does not allow it to namespace ${namespace} of cluster ${cluster}; allowed is ${allowed}`;
    expect(policy.refusal(cluster, namespace, [host])).toBe(sentence);
  });

  it.each<[string, string, string]>([
    [
      "*.ops.example.com",
      'a wildcard host answers at any depth, and no pattern but one with "**." in front is as wide: "**.ops.example.com" would allow it',
      "**.ops.example.com",
    ],
    [
      "b.a.ops.example.com",
      '"*" stands for one label: "**.ops.example.com" would allow it',
      "**.ops.example.com",
    ],
    [
      "lab.example.com",
      '"**." stands for one label or more: "lab.example.com" would allow it',
      "lab.example.com",
    ],
  ])("says of %s why what is allowed is not it, and what would allow it: %s", (host, why, pattern) => {
    const hosts = ["*.ops.example.com", "**.lab.example.com"];
    expect(new HostPolicy([{ hosts }]).refusal("east", "ops", [host])).toBe(
      `host is "${host}": policy.hosts does not allow it to namespace ops of cluster east; allowed is *.ops.example.com, **.lab.example.com; ${why}`,
    );
    expect(new HostPolicy([{ hosts: [pattern] }]).refusal("east", "ops", [host])).toBeUndefined();
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
