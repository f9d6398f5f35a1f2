import { describe, expect, it } from "vitest";
import { load, minimal, problemsOf } from "./given.ts";

describe("precedence", () => {
  const yaml = `${minimal}throttle: {maxDelay: 1s}\nevents: {enabled: false}\n`;
  const variable = { TRANSLATOR_THROTTLE_MAX_DELAY: "2s" };

  it("takes the flag before the variable before the file before the default", () => {
    const delay = (given: Parameters<typeof load>[0]): number => load(given).throttle.maxDelay;
    expect(delay({ yaml: minimal })).toBe(500);
    expect(delay({ yaml })).toBe(1000);
    expect(delay({ yaml, env: variable })).toBe(2000);
    expect(delay({ yaml, env: variable, flags: { "throttle.maxDelay": "3s" } })).toBe(3000);
  });

  it("still judges the values that another source overrides", () => {
    expect(
      problemsOf({
        yaml: `${minimal}throttle: {maxDelay: soon}\n`,
        env: { TRANSLATOR_THROTTLE_MAX_DELAY: "later" },
        flags: { "throttle.maxDelay": "3s" },
      }),
    ).toEqual(['throttle.maxDelay: got "soon"; allowed: a duration from 0 to 24h, as 50ms, 5s or 10m']);
  });

  it.each([
    ["instance", "blue", "blue"],
    ["events.enabled", "true", true],
    ["events.enabled", "false", false],
    ["events.enabled", undefined, true],
    ["shards.count", "8", 8],
    ["guard.maxDeleteRatio", "0.25", 0.25],
    ["gateway.maxListBytes", "2GiB", 2 ** 31],
    ["gateway.maxListBytes", "2097152", 2097152],
    ["throttle.quiet", "0", 0],
    ["throttle.routeInterval", "auto", "auto"],
    ["throttle.routeInterval", "5s", 5000],
    ["observe.advertise", "", ""],
    ["observe.listen", "127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
  ])("reads the flag --%s %s", (path, text, value) => {
    const [section = "", key] = path.split(".");
    const config: Readonly<Record<string, unknown>> = { ...load({ yaml, flags: { [path]: text } }) };
    const found = config[section];
    expect(
      key === undefined ? found : Object.entries(found ?? {}).find(([name]) => name === key)?.[1],
    ).toEqual(value);
  });

  it("takes the file that TRANSLATOR_CONFIG names, and --config before it", () => {
    const files = { "one.yaml": `${minimal}instance: one\n`, "two.yaml": `${minimal}instance: two\n` };
    const env = { TRANSLATOR_CONFIG: "one.yaml" };
    expect(load({ env, files }).instance).toBe("one");
    expect(load({ env, files, flags: { config: "two.yaml" } }).instance).toBe("two");
  });
});
