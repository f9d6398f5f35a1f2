import { describe, expect, it } from "vitest";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { loadConfig, type Config, type ConfigSources } from "../../src/config.ts";
import { readTextFile } from "../../src/config/file.ts";
import { WatchedConfig } from "../../src/config/watched-config.ts";
import { silentLog, type LogFields } from "../../src/runtime.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { minimal, minimalBut } from "./given.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "watched-config-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function watched(flags: ConfigSources["flags"] = []) {
  const path = join(folder, "config.yaml");
  writeFileSync(path, minimal);
  const sources: ConfigSources = {
    flags: [{ name: "config", value: path }, ...flags],
    env: { APISIX_ADMIN_KEY: "k1" },
    readFile: readTextFile,
  };
  const taken: Config[] = [];
  const said: (LogFields & { readonly level: string })[] = [];
  const say = (level: string) => (fields: LogFields) => void said.push({ level, ...fields });
  const config = new WatchedConfig({
    ...{ sources, config: loadConfig(sources), clock: new VirtualClock() },
    log: { ...silentLog, info: say("info"), warn: say("warn"), error: say("error") },
    changed: (next) => taken.push(next),
  });
  /** The file becomes this, and is looked at twice: what is bad once may be half-written. */
  const becomes = async (yaml: string): Promise<void> => {
    writeFileSync(path, yaml);
    await config.look();
    await config.look();
  };
  return { becomes, taken, said, config };
}

describe("the configuration file while it is in use", () => {
  it("clusters and policy are taken without a restart; what else it says stays as it was", async () => {
    const { becomes, taken, said } = watched();
    await becomes(
      `${minimalBut("clusters: [{name: home, inCluster: true}, {name: east, kubeconfig: /kc}]")}\npolicy: {plugins: [cors]}\nthrottle: {maxDelay: 1s}\naudit: {interval: 1m}`,
    );
    expect(taken).toHaveLength(1);
    expect(taken[0]!.clusters.map(({ name }) => name)).toEqual(["home", "east"]);
    expect(taken[0]!.policy.plugins).toEqual(["cors"]);
    expect(taken[0]!.throttle.maxDelay).toBe(500);
    expect(said.filter(({ level }) => level === "warn")).toMatchObject([
      { keys: ["throttle.maxDelay", "audit.interval"], advice: expect.stringMatching(/restart/) },
    ]);
  });

  it("a file that is bad changes nothing, and all its problems are said in one line", async () => {
    const { becomes, taken, said } = watched();
    await becomes(minimalBut("clusters: [{name: A}, {name: east}]\npolicy: {plugins: 7}"));
    expect(taken).toEqual([]);
    const errors = said.filter(({ level }) => level === "error");
    expect(errors).toMatchObject([{ problems: expect.any(Array), advice: expect.any(String) }]);
    expect(errors[0]!["problems"]).toHaveLength(4);
    await becomes(minimalBut("clusters: [{name: east, inCluster: true}]"));
    expect(taken.map(({ clusters }) => clusters[0]!.name)).toEqual(["east"]);
  });

  it("comments, order and what flags override are no change", async () => {
    const { becomes, taken, said } = watched([{ name: "throttle.maxDelay", value: "2s" }]);
    await becomes(`# note\n${minimal}\nthrottle: {maxDelay: 1s}`);
    expect([taken, said]).toEqual([[], []]);
  });

  it("a file that is gone changes nothing", async () => {
    const { taken, said, config } = watched();
    rmSync(join(folder, "config.yaml"));
    await config.look();
    await config.look();
    expect(taken).toEqual([]);
    expect(said).toMatchObject([{ level: "error", problems: [expect.stringMatching(/no such file/)] }]);
  });
});
