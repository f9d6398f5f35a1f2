import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scalarKeys } from "../../src/config/keys.ts";
import { nearest } from "../../src/declare/nearest.ts";
import { variableName } from "../../src/config/overrides.ts";
import { load, minimal, minimalBut, problemsOf } from "./given.ts";

describe("a key that there is not", () => {
  it.each([
    ["trottle: {quiet: 1s}", "trottle: unknown key (got a mapping); did you mean throttle?"],
    [
      "throttle: {maxdelay: 1s}",
      'throttle.maxdelay: unknown key (got "1s"); did you mean throttle.maxDelay?',
    ],
    ["quiet: 1s", 'quiet: unknown key (got "1s"); did you mean throttle.quiet?'],
    ["shards: {workers: 4}", "shards.workers: unknown key (got 4); allowed here: count, by"],
    ["events: {__proto__: 1}", "events.__proto__: unknown key (got 1); allowed here: enabled"],
    ["events: {constructor: 1}", "events.constructor: unknown key (got 1); allowed here: enabled"],
    ["events: {a b: 1}", 'events."a b": unknown key (got 1); allowed here: enabled'],
    ["events: {1: 1}", "events.1: unknown key (got 1); allowed here: enabled"],
    ["events: {<<: {enabled: false}}", 'events."<<": unknown key (got a mapping); allowed here: enabled'],
    [
      "gateway: {adminUrl: [x], adminUrls: [http://a:1]}",
      "gateway.adminUrl: unknown key (got a list); did you mean gateway.adminUrls?",
    ],
    [
      "clusters: [{name: home, inCluster: true, family: IPv4}]",
      'clusters[0].family: unknown key (got "IPv4"); allowed here: name, kubeconfig, context, inCluster, namespaces, addressFamily, weight, sliceSelector',
    ],
  ])("%s", (lines, problem) => {
    expect(problemsOf({ yaml: minimalBut(lines) })).toEqual([problem]);
  });
});

describe("a flag that there is not", () => {
  it.each([
    [
      "throttle.maxdelay",
      "1s",
      '--throttle.maxdelay: unknown flag (got "1s"); did you mean --throttle.maxDelay?',
    ],
    ["maxDelay", "1s", '--maxDelay: unknown flag (got "1s"); did you mean --throttle.maxDelay?'],
    ["shadwo", undefined, "--shadwo: unknown flag; did you mean --shadow?"],
    ["x", "1", '--x: unknown flag (got "1")'],
    ["__proto__", "1", '--__proto__: unknown flag (got "1")'],
    [
      "throttle",
      "1s",
      "--throttle: is a section; allowed: its keys one by one: quiet, maxDelay, concurrency, rate, routeInterval, deleteGrace",
    ],
    ["throttle.quiet", undefined, "--throttle.quiet: needs a value"],
    [
      "policy.plugins",
      "a",
      "--policy.plugins: is a list; allowed: lists stand only in the configuration file",
    ],
    ["clusters", "a", "--clusters: is a list; allowed: lists stand only in the configuration file"],
    [
      "clusters[0].name",
      "a",
      "--clusters[0].name: is a list; allowed: lists stand only in the configuration file",
    ],
    [
      "gateway.adminUrls",
      "http://u:p@h",
      "--gateway.adminUrls: is a list; allowed: lists stand only in the configuration file",
    ],
  ])("--%s %s", (name, value, problem) => {
    expect(problemsOf({ yaml: minimal, flags: { [name]: value }, otherFlags: ["shadow", "help"] })).toEqual([
      problem,
    ]);
  });

  it("names the flag beside the key where its value is bad", () => {
    expect(problemsOf({ yaml: minimal, flags: { "shards.count": "-1" } })).toEqual([
      'shards.count: got "-1"; allowed: a whole number from 0 to 64 (given as --shards.count)',
    ]);
  });
});

describe("a variable that there is not", () => {
  it.each([
    [
      "TRANSLATOR_THROTTLE_MAXDELAY",
      'unknown variable (got "x"); did you mean TRANSLATOR_THROTTLE_MAX_DELAY?',
    ],
    ["TRANSLATOR_WHATEVER", 'unknown variable (got "x")'],
    ["TRANSLATOR_CLUSTERS", "is a list; allowed: lists stand only in the configuration file (key clusters)"],
    ["TRANSLATOR_AUDIT", "is a section; allowed: its keys one by one: interval (key audit)"],
  ])("%s", (name, problem) => {
    expect(problemsOf({ yaml: minimal, env: { [name]: "x" } })).toEqual([`${name}: ${problem}`]);
  });

  it("names the variable beside the key where its value is bad", () => {
    expect(problemsOf({ yaml: minimal, env: { TRANSLATOR_EVENTS_ENABLED: "" } })).toEqual([
      'events.enabled: got ""; allowed: true or false (given as TRANSLATOR_EVENTS_ENABLED)',
    ]);
  });

  it("is not one that Kubernetes sets for a Service called translator", () => {
    const env = {
      TRANSLATOR_SERVICE_HOST: "10.0.0.1",
      TRANSLATOR_SERVICE_PORT: "80",
      TRANSLATOR_SERVICE_PORT_HTTP: "80",
      TRANSLATOR_PORT: "tcp://10.0.0.1:80",
      TRANSLATOR_PORT_80_TCP: "tcp://10.0.0.1:80",
      TRANSLATOR_PORT_80_TCP_ADDR: "10.0.0.1",
      TRANSLATOR_METRICS_SERVICE_HOST: "10.0.0.2",
      TRANSLATOR_METRICS_PORT_9090_TCP_PROTO: "tcp",
    };
    expect(problemsOf({ yaml: minimal, env })).toEqual([]);
  });
});

describe("variableName", () => {
  it("gives every key a variable of its own, as documented", () => {
    const names = scalarKeys().map(({ path }) => variableName(path));
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining([
        "TRANSLATOR_THROTTLE_MAX_DELAY",
        "TRANSLATOR_GATEWAY_ADMIN_KEY_FILE",
        "TRANSLATOR_INSTANCE",
      ]),
    );
  });

  it("names what loadConfig reads", () => {
    const env = { [variableName("nodePort.maxNodes")]: "64", [variableName("leader.renewDeadline")]: "9s" };
    expect(load({ yaml: minimal, env }).leader.renewDeadline).toBe(9000);
  });
});

describe("nearest", () => {
  it("finds a word through any one typing error, and the word itself first of all", () => {
    const words = scalarKeys().map(({ path }) => path);
    const index = fc.nat({ max: 40 });
    fc.assert(
      fc.property(
        fc.constantFrom(...words),
        index,
        fc.constantFrom("drop", "double", "upper"),
        (word, at, how) => {
          const place = at % word.length;
          const letter = word[place] ?? "";
          const typed = { drop: "", double: letter + letter, upper: letter.toUpperCase() }[how] ?? "";
          expect(nearest(word, words)).toBe(word);
          expect(nearest(word.slice(0, place) + typed + word.slice(place + 1), words)).toBe(word);
        },
      ),
    );
  });

  it("offers nothing for a word that is like none, and takes no time for a huge one", () => {
    expect(nearest("zzzz", ["quiet", "rate"])).toBeUndefined();
    expect(nearest("z".repeat(1_000_000), ["quiet", "rate"])).toBeUndefined();
  });
});
