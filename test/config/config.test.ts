import { describe, expect, it } from "vitest";
import { load, minimal, minimalBut } from "./given.ts";

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
