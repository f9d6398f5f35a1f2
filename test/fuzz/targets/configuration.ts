import fc from "fast-check";
import { stringify } from "yaml";
import { loadConfig } from "../../../src/config.ts";
import { parseYaml } from "../../../src/config/file.ts";
import { Problems } from "../../../src/config/problems.ts";
import { TranslatorError } from "../../../src/errors.ts";
import { damaged, someDamage } from "../damage.ts";
import { makeTarget } from "../target.ts";
import type { Verdict } from "../target.ts";

const wild = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 2 }),
  fc.constantFrom("5s", "-1s", "1GiB", "9".repeat(400), "${x}", "*", "&a", "!!js", "0x10", "__proto__"),
);
const or = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 15, arbitrary: right }, { weight: 1, arbitrary: wild });
const section = (keys: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  or(fc.record(keys, { requiredKeys: [], noNullPrototype: true }));

const duration = or(fc.constantFrom("50ms", "5s", "10m", "15s"));
const cluster = fc.record(
  {
    name: or(fc.constantFrom("home", "east-1", "west")),
    inCluster: or(fc.boolean()),
    kubeconfig: or(fc.constant("/k")),
    namespaces: or(fc.constant(["a"])),
    addressFamily: or(fc.constantFrom("IPv4", "IPv6", "dual")),
    weight: or(fc.nat(200)),
  },
  { requiredKeys: ["name", "inCluster"], noNullPrototype: true },
);

const file = fc.record(
  {
    instance: or(fc.constantFrom("default", "blue")),
    clusters: or(fc.array(cluster, { minLength: 1, maxLength: 2 })),
    gateway: section({
      adminUrls: or(fc.constant(["http://apisix-admin:9180"])),
      timeout: duration,
      maxListBytes: or(fc.constant("1GiB")),
    }),
    leader: section({ enabled: or(fc.boolean()), duration, renewDeadline: duration, retryPeriod: duration }),
    shards: section({ count: or(fc.nat(8)), by: or(fc.constantFrom("service", "cluster")) }),
    throttle: section({
      quiet: duration,
      concurrency: or(fc.nat(64)),
      routeInterval: or(fc.constantFrom("auto", "1s")),
    }),
    policy: section({
      hosts: or(fc.constant([{ hosts: ["**.example.com"] }])),
      plugins: or(fc.constant(["cors"])),
    }),
    defaults: section({
      host: or(fc.constantFrom("{name}.x", "{oops}.x")),
      uri: or(fc.constantFrom("/*", "x")),
    }),
    guard: section({
      maxDeletes: or(fc.nat(9)),
      maxDeleteRatio: or(fc.double({ min: 0, max: 1, noNaN: true })),
    }),
    unknown: wild,
  },
  { requiredKeys: ["clusters", "gateway"], noNullPrototype: true },
);

const input = fc.record({
  value: file,
  withUnknown: fc.constantFrom(false, false, false, true),
  damage: someDamage,
});

/** The configuration file: any text. What is accepted is frozen, whole, and holds no key that nobody knows. */
export const configuration = makeTarget(
  "configuration",
  5,
  input,
  ({ value, withUnknown, damage }): Verdict => {
    const { unknown, ...known } = value;
    const content = damaged(
      Buffer.from(stringify(withUnknown ? { ...known, unknown } : known)),
      damage,
    ).toString("utf8");
    const parsed = parseYaml(content, "file", new Problems());
    const passed = parsed !== undefined;
    try {
      const config = loadConfig({
        flags: [{ name: "config", value: "c.yaml" }],
        env: { APISIX_ADMIN_KEY: "k" },
        readFile: (path) => {
          if (path === "c.yaml") return content;
          throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
        },
      });
      if (!passed) return { passed, wrong: "what is no mapping was accepted" };
      if (Object.hasOwn(parsed as object, "unknown")) return { passed, wrong: "an unknown key was accepted" };
      return {
        passed,
        wrong: Object.isFrozen(config) && config.clusters.length > 0 ? undefined : "half a configuration",
      };
    } catch (error) {
      if (!(error instanceof TranslatorError) || error.code !== "CONFIG_INVALID") throw error;
      return { passed, wrong: error.problems.length > 0 ? undefined : "refused without saying why" };
    }
  },
);
