import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { load, minimal, minimalBut, problemsOf } from "./given.ts";

describe("the admin key", () => {
  const inFile = minimalBut("gateway: {adminUrls: [http://a:1], adminKeyFile: /key}");
  const files = { "/key": "from-yaml", "/other": "from-flag" };
  const key = (given: Parameters<typeof load>[0]): string =>
    load({ yaml: inFile, files, ...given }).gateway.adminKey.reveal();

  it("comes from a flag's or variable's file, else from APISIX_ADMIN_KEY, else from the file's file", () => {
    const env = { APISIX_ADMIN_KEY: "from-env" };
    expect(key({ env: { APISIX_ADMIN_KEY: "" } })).toBe("from-yaml");
    expect(key({ env })).toBe("from-env");
    expect(key({ env: { ...env, TRANSLATOR_GATEWAY_ADMIN_KEY_FILE: "/other" } })).toBe("from-flag");
    expect(key({ env, flags: { "gateway.adminKeyFile": "/other" } })).toBe("from-flag");
  });

  it("says which file must be watched, if any", () => {
    const file = (env: Record<string, string>): string | undefined =>
      load({ yaml: inFile, files, env }).gateway.adminKeyFile;
    expect([file({ APISIX_ADMIN_KEY: "" }), file({ APISIX_ADMIN_KEY: "k" })]).toEqual(["/key", undefined]);
  });

  const allowed = "allowed: a file that holds the admin key, or the key in APISIX_ADMIN_KEY";

  it.each([
    ["missing", {}, `got "/key", which cannot be read: there is no such file; ${allowed}`],
    ["empty", { "/key": " \n" }, `got "/key", which is empty; ${allowed}`],
    [
      "two lines long",
      { "/key": "hush-1\nhush-2" },
      "got (secret); allowed: a key of 1 to 4096 printable ASCII characters with no space in it",
    ],
  ])("is refused where the file is %s", (_, broken, line) => {
    const given = { yaml: inFile, files: broken, env: { APISIX_ADMIN_KEY: "" } };
    expect(problemsOf(given)).toEqual([`gateway.adminKeyFile: ${line}`]);
  });

  it("is asked for where nothing says it", () => {
    expect(problemsOf({ yaml: minimal, env: { APISIX_ADMIN_KEY: "" } })).toEqual([
      `gateway.adminKeyFile: is missing; ${allowed}`,
    ]);
  });

  it("is not printed, however the configuration is", () => {
    const config = load({ yaml: minimal, env: { APISIX_ADMIN_KEY: "hush" } });
    const printed = [
      inspect(config, { depth: 9, showHidden: true }),
      JSON.stringify(config),
      `${config.gateway.adminKey}`,
    ];
    expect(printed.join()).not.toContain("hush");
    expect(printed[2]).toBe("[secret]");
  });
});
