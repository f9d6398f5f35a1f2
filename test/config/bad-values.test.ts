import { describe, expect, it } from "vitest";
import { minimal, minimalBut, problemsOf } from "./given.ts";

const label = "a DNS label: 1 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit";
const anyDuration = "a duration from 0 to 24h, as 50ms, 5s or 10m";
const url = "an http or https URL with no credentials, path, query or fragment, as http://apisix-admin:9180";
const address = "host:port, as 127.0.0.1:8080 or [::1]:8080";
const hostPattern =
  "a lower-case host name; * stands for any part of one DNS label, **. in front for any depth, as **.example.com";

describe("a bad value in the file", () => {
  it.each([
    ["instance: Blue", `instance: got "Blue"; allowed: ${label}`],
    ["instance: 7", `instance: got 7; allowed: ${label}`],
    ["instance:", `instance: got null; allowed: ${label}`],
    ["throttle: {quiet: 5}", `throttle.quiet: got 5; allowed: ${anyDuration}`],
    ["throttle: {quiet: 5 s}", `throttle.quiet: got "5 s"; allowed: ${anyDuration}`],
    ["throttle: {quiet: -5s}", `throttle.quiet: got "-5s"; allowed: ${anyDuration}`],
    ["throttle: {quiet: 0.5ms}", `throttle.quiet: got "0.5ms"; allowed: ${anyDuration}`],
    ["throttle: {deleteGrace: 25h}", `throttle.deleteGrace: got "25h"; allowed: ${anyDuration}`],
    ["throttle: {routeInterval: off}", `throttle.routeInterval: got "off"; allowed: auto or ${anyDuration}`],
    ["throttle: {concurrency: 0}", "throttle.concurrency: got 0; allowed: a whole number from 1 to 1024"],
    ["throttle: {concurrency: 1.5}", "throttle.concurrency: got 1.5; allowed: a whole number from 1 to 1024"],
    ['throttle: {concurrency: "8"}', 'throttle.concurrency: got "8"; allowed: a whole number from 1 to 1024'],
    ["throttle: {rate: -1}", "throttle.rate: got -1; allowed: a number from 0 to 1000000"],
    ["throttle: {rate: .inf}", "throttle.rate: got Infinity; allowed: a number from 0 to 1000000"],
    ["throttle: {rate: .nan}", "throttle.rate: got NaN; allowed: a number from 0 to 1000000"],
    ["throttle: {quiet: 2s}", "throttle.maxDelay: got 500ms; allowed: at least throttle.quiet (2000ms)"],
    ["throttle: fast", 'throttle: got "fast"; allowed: a mapping'],
    ["shards: {count: 65}", "shards.count: got 65; allowed: a whole number from 0 to 64"],
    ["shards: {by: pod}", 'shards.by: got "pod"; allowed: service or cluster'],
    ["guard: {maxDeletes: -1}", "guard.maxDeletes: got -1; allowed: a whole number from 0 to 1000000"],
    ["guard: {maxDeleteRatio: 1.1}", "guard.maxDeleteRatio: got 1.1; allowed: a number from 0 to 1"],
    ["audit: {interval: 0}", "audit.interval: got 0; allowed: a duration from 1s to 24h, as 5s or 10m"],
    ["events: {enabled: yes}", 'events.enabled: got "yes"; allowed: true or false'],
    [
      "sources: {pods: false, services: false}",
      "sources: got pods and services both false; allowed: at least one true",
    ],
    ["observe: {listen: 8080}", `observe.listen: got 8080; allowed: ${address}`],
    ['observe: {listen: ":8080"}', `observe.listen: got ":8080"; allowed: ${address}`],
    ['observe: {listen: "h:65536"}', `observe.listen: got "h:65536"; allowed: ${address}`],
    ['observe: {listen: "::1:80"}', `observe.listen: got "::1:80"; allowed: ${address}`],
    ['observe: {listen: "[h]:80"}', `observe.listen: got "[h]:80"; allowed: ${address}`],
    [
      'observe: {admin: "127.0.0.1:8080"}',
      "observe.admin: got port 8080; allowed: another port than observe.listen",
    ],
    ["observe: {logLevel: loud}", 'observe.logLevel: got "loud"; allowed: debug or info or warn or error'],
    [
      "observe: {advertise: a/b}",
      'observe.advertise: got "a/b"; allowed: empty, or host or host:port, as 10.0.0.5:8080 (IPv6 in brackets)',
    ],
    [
      "defaults: {host: 5}",
      "defaults.host: got 5; allowed: a host with {route}, {namespace}, {cluster} and {name} in it",
    ],
    ["policy: {hosts: all}", 'policy.hosts: got "all"; allowed: a list of {clusters, namespaces, hosts}'],
    ["policy: {hosts: }", "policy.hosts: got null; allowed: a list of {clusters, namespaces, hosts}"],
    ["policy: {plugins: [a b]}", 'policy.plugins[0]: got "a b"; allowed: the name of an APISIX plugin'],
    ["policy: {plugins: [a, a]}", 'policy.plugins[1]: got "a" a second time; allowed: each entry once'],
    ["clusters: []", "clusters: got an empty list; allowed: a list of at least one cluster"],
    ["clusters: {}", "clusters: got a mapping; allowed: a list of at least one cluster"],
    ["clusters: [east]", 'clusters[0]: got "east"; allowed: a mapping'],
    ["clusters: [{inCluster: true}]", `clusters[0].name: is missing; allowed: ${label}`],
    ["clusters: [{name: E, inCluster: true}]", `clusters[0].name: got "E"; allowed: ${label}`],
    [
      "clusters: [{name: a, inCluster: true}, {name: a, kubeconfig: /a}]",
      'clusters[1].name: got "a", which clusters[0] has; allowed: a name of its own',
    ],
    [
      "clusters: [{name: a}]",
      "clusters[0]: has neither kubeconfig nor inCluster: true; allowed: exactly one of the two",
    ],
    [
      "clusters: [{name: a, kubeconfig: /a, inCluster: true}]",
      "clusters[0]: has both kubeconfig and inCluster: true; allowed: exactly one of the two",
    ],
    [
      "clusters: [{name: a, inCluster: true, context: c}]",
      'clusters[0].context: got "c"; allowed: only beside kubeconfig',
    ],
    [
      "clusters: [{name: a, inCluster: true, addressFamily: ipv4}]",
      'clusters[0].addressFamily: got "ipv4"; allowed: IPv4 or IPv6 or dual',
    ],
    [
      "clusters: [{name: a, inCluster: true, weight: 10001}]",
      "clusters[0].weight: got 10001; allowed: a whole number from 0 to 10000",
    ],
    [
      'clusters: [{name: a, kubeconfig: ""}]',
      'clusters[0].kubeconfig: got ""; allowed: a file path, relative to the working directory or absolute',
    ],
    [
      "leader: {enabled: false, cluster: x}",
      'leader.cluster: got "x"; allowed: the name of one of the clusters',
    ],
    [
      "gateway: {adminUrls: []}",
      "gateway.adminUrls: got an empty list; allowed: a list of URLs, as [http://apisix-admin:9180]",
    ],
    [
      "gateway: {adminUrls: http://a:1}",
      'gateway.adminUrls: got "http://a:1"; allowed: a list of URLs, as [http://apisix-admin:9180]',
    ],
    ["gateway: {adminUrls: [ftp://a:1]}", `gateway.adminUrls[0]: got "ftp://a:1"; allowed: ${url}`],
    ["gateway: {adminUrls: [a:9180]}", `gateway.adminUrls[0]: got "a:9180"; allowed: ${url}`],
    [
      "gateway: {adminUrls: [http://a:1/apisix/admin]}",
      `gateway.adminUrls[0]: got "http://a:1/apisix/admin"; allowed: ${url}`,
    ],
    ["gateway: {adminUrls: [http://a:99999]}", `gateway.adminUrls[0]: got "http://a:99999"; allowed: ${url}`],
    [
      "gateway: {adminUrls: [http://a:1], timeout: 50ms}",
      'gateway.timeout: got "50ms"; allowed: a duration from 100ms to 10m, as 5s or 10m',
    ],
    [
      "gateway: {adminUrls: [http://a:1], maxListBytes: 1GB}",
      'gateway.maxListBytes: got "1GB"; allowed: a size from 1MiB to 64GiB, as 512MiB or 1GiB',
    ],
    [
      "gateway: {adminUrls: [http://a:1], maxListBytes: 1}",
      "gateway.maxListBytes: got 1; allowed: a size from 1MiB to 64GiB, as 512MiB or 1GiB",
    ],
  ])("%s", (lines, problem) => {
    expect(problemsOf({ yaml: minimalBut(lines) })).toEqual([problem]);
  });

  it.each([
    [
      "hosts: [UPPER.example.com]",
      `policy.hosts[0].hosts[0]: got "UPPER.example.com"; allowed: ${hostPattern}`,
    ],
    ["hosts: [a.**.b]", `policy.hosts[0].hosts[0]: got "a.**.b"; allowed: ${hostPattern}`],
    ["hosts: []", "policy.hosts[0].hosts: got an empty list; allowed: a list of host patterns"],
    ["clusters: [a]", "policy.hosts[0].hosts: is missing; allowed: a list of host patterns"],
    [
      "hosts: [a.b], clusters: []",
      "policy.hosts[0].clusters: got an empty list; allowed: a list of patterns; left out, it means all clusters",
    ],
    [
      "hosts: [a.b], namespaces: [A]",
      'policy.hosts[0].namespaces[0]: got "A"; allowed: a DNS label, in which * stands for any part, as team-*',
    ],
  ])("policy.hosts: [{%s}]", (entry, problem) => {
    expect(problemsOf({ yaml: minimalBut(`policy: {hosts: [{${entry}}]}`) })).toContain(problem);
  });

  it("is judged by the grammar of declarations where it ends in one", () => {
    const problems = problemsOf({ yaml: minimalBut('defaults: {host: "{foo}.x", uri: shop}') });
    expect(problems).toEqual([
      expect.stringMatching(/^defaults\.host: got "\{foo\}\.x"; .*foo.* allowed are \{route\}/),
      expect.stringMatching(/^defaults\.uri: got "shop"; .*allowed is a path/),
    ]);
  });

  it("is told with all others at once", () => {
    const yaml = `
instance: A
clusters: [{name: b, weigth: 1}, {name: b, inCluster: true}]
gateway: {adminUrls: [], adminKeyFile: /none}
trottle: {quiet: 1s}
shards: {count: many}
observe: {logLevel: loud}
leader: {enabled: false}
`;
    const given = { yaml, env: { APISIX_ADMIN_KEY: "" }, flags: { "guard.maxDeletes": "x", speed: "1" } };
    expect(problemsOf(given).map((line) => line.split(": ")[0])).toEqual([
      "--speed",
      "trottle",
      "instance",
      "clusters[0].weigth",
      "gateway.adminUrls",
      "shards.count",
      "guard.maxDeletes",
      "observe.logLevel",
      "gateway.adminKeyFile",
      "clusters[0]",
      "clusters[1].name",
    ]);
  });
});

describe("what a problem line shows of a value", () => {
  const shownFor = (value: string): string =>
    problemsOf({ yaml: minimalBut(`instance: ${value}`) })
      .join("\n")
      .split("; allowed")[0] ?? "";

  it("has no character that could act on a terminal", () => {
    expect(shownFor('"a\\e[2Jb\\u202Ec\\u00a0"')).toBe('instance: got "a\\u001b[2Jb\\u{202e}c\\u{a0}"');
  });

  it("is short", () => {
    expect(shownFor("x".repeat(5000)).length).toBeLessThan(120);
  });

  it("is nothing of what is inside a list or mapping", () => {
    expect([shownFor("[hush]"), shownFor("{a: hush}")]).toEqual([
      "instance: got a list",
      "instance: got a mapping",
    ]);
  });

  it.each([
    ["gateway: {adminUrls: [http://admin:hush@a:1]}"],
    ["gateway: {adminUrls: [http://hush@a:1/x]}"],
    ["gateway: {adminUrls: ['http://a:1/?api_key=hush']}"],
    ["gateway: {adminUrls: [http://a:1], adminKey: hush}"],
    ["gateway: {adminUrls: [http://a:1], adminKey: [hush]}"],
    ["gateway: {adminUrls: ['admin:hush@a:1']}"],
    ["instance: http://u:hush@a"],
    ["instance: http://u:hush/x@a"],
    ["password: hush"],
    ["adminToken: hush"],
  ])("is no credential: %s", (lines) => {
    const problems = problemsOf({ yaml: minimalBut(lines) });
    expect(problems).toHaveLength(1);
    expect(problems.join()).not.toContain("hush");
  });

  it("is no credential from a flag or variable either", () => {
    const flags = { "gateway.adminKey": "hush", adminUrl: "http://u:hush@a" };
    const env = { TRANSLATOR_ADMIN_KEY: "hush", TRANSLATOR_ADMIN_URL: "http://u:hush@a" };
    const problems = problemsOf({ yaml: minimal, flags, env });
    expect(problems).toHaveLength(4);
    expect(problems.join()).not.toContain("hush");
  });
});
