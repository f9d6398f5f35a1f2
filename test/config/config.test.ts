import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { load, minimal, minimalBut, problemsOf } from "./given.ts";

describe("loadConfig", () => {
  it("fills in the documented defaults", () => {
    expect(load({ yaml: minimal })).toMatchObject({
      instance: "default",
      clusters: [
        {
          name: "home",
          kubeconfig: undefined,
          context: undefined,
          inCluster: true,
          namespaces: [],
          addressFamily: "IPv4",
          weight: 100,
          sliceSelector: "enabled",
        },
      ],
      clusterSecrets: undefined,
      gateway: {
        adminUrls: ["http://apisix-admin:9180"],
        adminKeyFile: undefined,
        ...{ tls: undefined, tlsMaterial: undefined },
        timeout: 5000,
        maxListBytes: 1073741824,
      },
      sources: { pods: true, services: true },
      nodePort: { maxNodes: 64, address: "InternalIP" },
      defaults: { host: undefined, uri: "/*" },
      policy: { hosts: [], plugins: [], maxRoutesPerNamespace: 0 },
      leader: {
        enabled: false,
        cluster: "home",
        namespace: "apisix-translator",
        lease: "apisix-translator",
        duration: 15_000,
        renewDeadline: 10_000,
        retryPeriod: 2000,
      },
      shards: { count: 0, by: "service" },
      throttle: {
        quiet: 50,
        maxDelay: 500,
        concurrency: 32,
        rate: 0,
        routeInterval: "auto",
        deleteGrace: 30_000,
      },
      guard: { maxDeletes: 100, maxDeleteRatio: 0.3 },
      audit: { interval: 600_000 },
      events: { enabled: true },
      observe: {
        listen: { host: "0.0.0.0", port: 8080 },
        admin: { host: "127.0.0.1", port: 8081 },
        advertise: "",
        logLevel: "info",
        logFormat: "json",
      },
    });
  });

  it("reads every key of the documented file", () => {
    const config = load({
      yaml: `
instance: blue
clusters:
  - name: east-1
    kubeconfig: /etc/translator/east-1.kubeconfig
    context: admin@east-1
    namespaces: []
    addressFamily: dual
    weight: 100
    sliceSelector: enabled
  - name: home
    inCluster: true
gateway:
  adminUrls: [https://apisix-admin:9180/, http://apisix-b:9180]
  adminKeyFile: /etc/translator/admin-key
  timeout: 4s
  maxListBytes: 512MiB
sources: {pods: true, services: false}
nodePort: {maxNodes: 64, address: InternalIP}
defaults:
  host: "{route}.{namespace}.{cluster}.apps.example.com"
  uri: "/app/*"
policy: {hosts: [], plugins: [limit-count], maxRoutesPerNamespace: 0}
leader: {enabled: false, cluster: home, namespace: infra, lease: translator.blue,
         duration: 30s, renewDeadline: 20s, retryPeriod: 2500ms}
shards: {count: 3, by: cluster}
throttle: {quiet: 0, maxDelay: 1.5s, concurrency: 8, rate: 0.5, routeInterval: 10s, deleteGrace: 1m}
guard: {maxDeletes: 0, maxDeleteRatio: 1}
audit: {interval: 1h}
events: {enabled: false}
observe: {listen: "[::]:0", admin: "localhost:9000", advertise: "10.0.0.5:8080", logLevel: debug, logFormat: text}
`,
      env: { APISIX_ADMIN_KEY: "" },
      files: { "/etc/translator/admin-key": " from-file\n" },
    });
    expect(config.gateway.adminKey.reveal()).toBe("from-file");
    expect(config).toMatchObject({
      instance: "blue",
      clusters: [
        {
          name: "east-1",
          kubeconfig: "/etc/translator/east-1.kubeconfig",
          context: "admin@east-1",
          inCluster: false,
          addressFamily: "dual",
        },
        { name: "home" },
      ],
      gateway: {
        adminUrls: ["https://apisix-admin:9180", "http://apisix-b:9180"],
        adminKeyFile: "/etc/translator/admin-key",
        timeout: 4000,
        maxListBytes: 536870912,
      },
      sources: { pods: true, services: false },
      defaults: { host: "{route}.{namespace}.{cluster}.apps.example.com", uri: "/app/*" },
      policy: { plugins: ["limit-count"] },
      leader: {
        namespace: "infra",
        lease: "translator.blue",
        duration: 30_000,
        renewDeadline: 20_000,
        retryPeriod: 2500,
      },
      shards: { count: 3, by: "cluster" },
      throttle: {
        quiet: 0,
        maxDelay: 1500,
        concurrency: 8,
        rate: 0.5,
        routeInterval: 10_000,
        deleteGrace: 60_000,
      },
      guard: { maxDeletes: 0, maxDeleteRatio: 1 },
      audit: { interval: 3_600_000 },
      events: { enabled: false },
      observe: {
        listen: { host: "::", port: 0 },
        admin: { host: "localhost", port: 9000 },
        advertise: "10.0.0.5:8080",
        logLevel: "debug",
        logFormat: "text",
      },
    });
  });

  it("is frozen to its depths", () => {
    const config = load({ yaml: minimal });
    const parts = [config, config.clusters, config.clusters[0], config.gateway, config.gateway.adminUrls];
    expect(parts.every(Object.isFrozen)).toBe(true);
    expect(Object.isFrozen(config.observe.listen)).toBe(true);
    expect(Object.isFrozen(config.policy.plugins)).toBe(true);
  });

  it("does not ask for a kubeconfig: a cluster without one is degraded, and no fault of the configuration", () => {
    const yaml = minimalBut("clusters: [{name: east, kubeconfig: /nowhere}]");
    expect(load({ yaml }).clusters[0]?.kubeconfig).toBe("/nowhere");
  });

  it("puts the Lease into the cluster that the translator runs in, or into the only one", () => {
    const own = minimalBut("clusters: [{name: east, kubeconfig: /e}, {name: home, inCluster: true}]");
    const only = minimalBut("clusters: [{name: east, kubeconfig: /e}]");
    const open = minimalBut("clusters: [{name: east, kubeconfig: /e}, {name: west, kubeconfig: /w}]");
    expect([own, only, open].map((yaml) => load({ yaml }).leader.cluster)).toEqual([
      "home",
      "east",
      undefined,
    ]);
  });
});

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
