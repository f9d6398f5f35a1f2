import fc from "fast-check";
import { stringify } from "yaml";
import { loadConfig } from "../../../src/config.ts";
import type { Config } from "../../../src/config.ts";
import { parseYaml } from "../../../src/config/file.ts";
import { Problems } from "../../../src/config/problems.ts";
import { TranslatorError } from "../../../src/errors.ts";
import { damaged, someDamage } from "../damage.ts";
import { makeTarget } from "../target.ts";
import type { Verdict } from "../target.ts";
import { anyStart } from "./configuration-files.ts";

const files: Readonly<Record<string, string>> = { "/key": "k\n", "/empty": " \n", "/text": "no certificate" };

/** The configuration: any file, with flags and environment. What is accepted is frozen, whole, within its limits, and as it stands there. */
export const configuration = makeTarget(
  "configuration",
  2,
  fc.record({ start: anyStart, damage: someDamage }),
  ({ start, damage }): Verdict => {
    const bytes = Buffer.from(stringify({ ...start.file, ...start.unknown }) + start.twist);
    const content = damaged(bytes, damage).toString("utf8");
    const parsed = parseYaml(content, "file", new Problems());
    const passed = parsed !== undefined;
    try {
      const config = loadConfig({
        flags: [{ name: "config", value: "c.yaml" }, ...start.flags],
        env: { APISIX_ADMIN_KEY: "k", ...start.env },
        readFile: (path) => {
          const text = path === "c.yaml" ? content : files[path];
          if (text === undefined) throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
          return text;
        },
        otherFlags: ["speedy"],
      });
      if (!passed) return { passed, wrong: "what is no mapping was accepted" };
      const isOverridden = start.flags.length > 0 || Object.keys(start.env).length > 0;
      return { passed, wrong: wrongWith(config, parsed as Given, isOverridden) };
    } catch (error) {
      if (!(error instanceof TranslatorError) || error.code !== "CONFIG_INVALID") throw error;
      const says = error.problems.join("\n");
      if (says === "" || says.includes("u:p")) return { passed, wrong: `refused, and says: ${says}` };
      return { passed, wrong: undefined };
    }
  },
);

type Given = Readonly<Record<string, unknown>>;

const isLabel = (text: string): boolean => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
const between = (least: number, value: number, most: number): boolean => value >= least && value <= most;

/** The limits of PRODUCT.md, once more, and some keys as the file has them. The first that is wrong. */
function wrongWith(config: Config, given: Given, isOverridden: boolean): string | undefined {
  const { clusters, gateway, throttle, leader, guard, shards, observe, policy } = config;
  const names = clusters.map(({ name }) => name);
  const lease = leader.renewDeadline - gateway.timeout >= 2 * leader.retryPeriod;
  const inFile = (section: string, key: string): unknown => (given[section] as Given | undefined)?.[key];
  const checks: Readonly<Record<string, boolean>> = {
    frozen: Object.isFrozen(config) && Object.isFrozen(config.clusters[0]) && Object.isFrozen(throttle),
    unknown: Object.keys(given).every((key) => Object.hasOwn(config, key)),
    instance:
      isLabel(config.instance) && (isOverridden || config.instance === (given["instance"] ?? "default")),
    clusters: names.length > 0 && names.every(isLabel) && new Set(names).size === names.length,
    place: clusters.every(({ kubeconfig, inCluster }) => inCluster === (kubeconfig === undefined)),
    weights: clusters.every(({ weight }) => Number.isInteger(weight) && between(0, weight, 10_000)),
    adminUrls:
      gateway.adminUrls.length > 0 && gateway.adminUrls.every((url) => /^https?:\/\/[^/@?#]+$/.test(url)),
    timeout: between(100, gateway.timeout, 600_000),
    leader:
      !leader.enabled ||
      (leader.duration > leader.renewDeadline && lease && names.includes(leader.cluster ?? "")),
    concurrency: between(1, throttle.concurrency, 1024) && Number.isInteger(throttle.concurrency),
    "as given": isOverridden || throttle.concurrency === (inFile("throttle", "concurrency") ?? 32),
    durations: [throttle.quiet, throttle.maxDelay, throttle.deleteGrace].every((time) =>
      between(0, time, 2 ** 31),
    ),
    guard: between(0, guard.maxDeleteRatio, 1) && between(0, guard.maxDeletes, 1_000_000),
    shards: between(0, shards.count, 64),
    plugins: new Set(policy.plugins).size === policy.plugins.length,
    hosts: policy.hosts.every(
      ({ hosts }) => hosts.length > 0 && hosts.every((host) => host === host.toLowerCase()),
    ),
    audit: config.audit.interval >= 1000,
    observe:
      observe.listen.port === 0 || observe.listen.port !== observe.admin.port || !isWide(observe.listen.host),
  };
  const [wrong] = Object.entries(checks).find(([, isRight]) => !isRight) ?? [];
  return wrong === undefined ? undefined : `${wrong} was accepted: ${JSON.stringify(config)}`;
}

const isWide = (host: string): boolean => host === "0.0.0.0" || host === "::";
