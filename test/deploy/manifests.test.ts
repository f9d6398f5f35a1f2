import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadConfig, type Config } from "../../src/config.ts";
import type { Flag } from "../../src/config/overrides.ts";
import { checkBlocks, plainText, valuesUsed } from "./chart-text.ts";
import { deploymentOf, documents, files, only, read } from "./deploy-files.ts";
import type { Manifest, Rule } from "./deploy-files.ts";

const plain = [...files("deploy/manifests"), ...files("deploy/examples")].flatMap((file) =>
  documents(read(file)),
);
const rbac = documents(read("deploy/rbac.yaml"));
const templates = files("deploy/chart/templates");
const chart = templates
  .filter((file) => file.endsWith(".yaml"))
  .flatMap((file) => documents(plainText(read(file))));
const chartValues = parse(read("deploy/chart/values.yaml")) as Record<string, unknown>;

describe("plain manifests", () => {
  it("start an instance: every flag and key is accepted, and every file that they name is mounted", () => {
    const config = configOf(plain);
    expect(config.clusters).toMatchObject([{ name: "home", inCluster: true }]);
    expect(config.clusterSecrets).toMatchObject({ cluster: "home", namespace: "apisix-translator" });
    expect(config.leader).toMatchObject({ enabled: true, cluster: "home", namespace: "apisix-translator" });
    expect(config.gateway.adminKeyFile).toBe("/etc/apisix-translator/gateway/admin-key");
  });

  it("refuse a key that the configuration does not have", () => {
    const wrong = plain.map((one) =>
      one.kind === "ConfigMap" ? { ...one, data: { "translator.yaml": "gateways: {}\n" } } : one,
    );
    expect(() => configOf(wrong)).toThrow("the configuration cannot be used");
  });

  it("run two replicas as the account that deploy/rbac.yaml binds, where its Lease is", () => {
    const { replicas, selector, template } = deploymentOf(plain);
    expect(replicas).toBe(2);
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    const account = only(rbac, "ServiceAccount").metadata;
    expect(account).toEqual({ name: template.spec.serviceAccountName, namespace: "apisix-translator" });
    for (const { subjects } of rbac.filter(({ kind }) => kind.endsWith("Binding")))
      expect(subjects).toEqual([{ kind: "ServiceAccount", ...account }]);
    for (const { kind, metadata } of [...plain, ...rbac])
      if (!["Namespace", "ClusterRole", "ClusterRoleBinding"].includes(kind))
        expect(metadata.namespace, `${kind} ${metadata.name}`).toBe("apisix-translator");
  });

  it("leave a container nothing to write and no privileges", () => {
    const { spec } = deploymentOf(plain).template;
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532 });
    expect(spec.containers[0]?.securityContext).toEqual({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      capabilities: { drop: ["ALL"] },
    });
  });

  it("show a cluster Secret's options that are accepted", () => {
    const { stringData } = only(plain, "Secret", "west-1");
    const options = parse(stringData?.["options"] ?? "") as object;
    const config = load(
      [],
      { "f.yaml": minimal([{ name: "west-1", inCluster: true, ...options }]) },
      "f.yaml",
    );
    expect(config.clusters[0]).toMatchObject({ weight: 100, addressFamily: "IPv4" });
  });
});

describe("deploy/rbac.yaml", () => {
  it("grants this, and no more; that it is enough is shown by the real suite, which runs with it", () => {
    const watched = ["/pods", "/services", "/nodes", "discovery.k8s.io/endpointslices"];
    expect(flat(only(rbac, "ClusterRole").rules)).toEqual(
      [
        ...watched.flatMap((what) => ["get", "list", "watch"].map((verb) => `${verb} ${what}`)),
        "get /namespaces[kube-system]",
        ...["create", "patch"].map((verb) => `${verb} events.k8s.io/events`),
        "create authorization.k8s.io/selfsubjectaccessreviews",
      ].sort(),
    );
    const lease = "coordination.k8s.io/leases";
    expect(flat(only(rbac, "Role", "apisix-translator-leader").rules)).toEqual(
      [
        `create ${lease}`,
        ...["get", "update", "watch"].map((verb) => `${verb} ${lease}[apisix-translator]`),
      ].sort(),
    );
    const secrets = flat(only(rbac, "Role", "apisix-translator-cluster-secrets").rules);
    expect(secrets).toEqual(["list /secrets", "watch /secrets"]);
  });
});

describe("chart", () => {
  it.each(templates)("%s is well-formed", (file) => {
    const text = read(file);
    checkBlocks(text);
    if (file.endsWith(".yaml")) expect(documents(plainText(text)).length).toBeGreaterThan(0);
  });

  it("notices templates that are not well-formed", () => {
    expect(() => checkBlocks("{{ if .Values.x }}a")).toThrow("no end of if");
    expect(() => checkBlocks("a{{ end }}")).toThrow("end without");
    expect(() => checkBlocks('{{ include "x . }}')).toThrow("quotes");
    expect(() => checkBlocks("{{ include")).toThrow("does not end");
  });

  it("uses every value that it has and no other, and defines what it includes", () => {
    const all = templates.map(read).join("\n");
    const used = new Set(valuesUsed(all));
    const leaves = Object.entries(chartValues).flatMap(([key, value]) =>
      ["image", "gateway", "serviceAccount", "disruptionBudget", "serviceMonitor"].includes(key)
        ? Object.keys(value as object).map((inner) => `${key}.${inner}`)
        : [key],
    );
    expect([...used].sort()).toEqual(leaves.sort());
    const included = [...all.matchAll(/include "([^"]+)"/g)].map(([, name]) => name);
    const defined = [...all.matchAll(/define "([^"]+)"/g)].map(([, name]) => name);
    expect([...new Set(included)].sort()).toEqual(defined.sort());
  });

  it("hands on a configuration that is accepted", () => {
    const { config } = chartValues as { config: { gateway: object; leader: object } };
    const whole = {
      ...config,
      gateway: { adminKeyFile: "/key", ...config.gateway },
      leader: { namespace: "apisix-translator", ...config.leader },
    };
    expect(load([], { "f.yaml": JSON.stringify(whole), "/key": "k" }, "f.yaml").leader.cluster).toBe("home");
  });

  it("grants exactly what deploy/rbac.yaml grants", () => {
    for (const { kind, metadata, rules } of rbac) {
      if (rules === undefined) continue;
      expect(only(chart, kind, metadata.name).rules, metadata.name).toEqual(rules);
    }
    expect(chart.filter(({ rules }) => rules !== undefined)).toHaveLength(3);
    for (const binding of rbac.filter(({ kind }) => kind.endsWith("Binding")))
      expect(only(chart, binding.kind, binding.metadata.name)).toMatchObject(binding);
  });

  it("runs the Pods of the plain manifests", () => {
    const [ours] = deploymentOf(chart).template.spec.containers;
    const [theirs] = deploymentOf(plain).template.spec.containers;
    for (const part of ["args", "livenessProbe", "readinessProbe", "securityContext", "ports"] as const)
      expect(ours?.[part], part).toEqual(theirs?.[part]);
    expect(chartValues["resources"]).toEqual(theirs?.resources);
    expect(deploymentOf(chart).template.spec.securityContext).toEqual(
      deploymentOf(plain).template.spec.securityContext,
    );
    expect(ours?.volumeMounts).toEqual(expect.arrayContaining([...(theirs?.volumeMounts ?? [])]));
  });
});

describe("versions", () => {
  const packageJson = JSON.parse(read("package.json")) as {
    readonly version: string;
    readonly devDependencies: Readonly<Record<string, string>>;
  };

  it("of Node is the one that everything was tested under", () => {
    const [, version] = /^ARG NODE_VERSION=(.+)$/m.exec(read("deploy/Dockerfile")) ?? [];
    expect(version).toBe(packageJson.devDependencies["node"]);
  });

  it("of image and chart are the package's", () => {
    const { version } = packageJson;
    expect(parse(read("deploy/chart/Chart.yaml"))).toMatchObject({ version, appVersion: version });
    expect(deploymentOf(plain).template.spec.containers[0]?.image).toBe(`apisix-translator:${version}`);
  });
});

/** The configuration with which the container of the Deployment starts, its volumes out of the other manifests. */
function configOf(manifests: readonly Manifest[]): Config {
  const { containers, volumes } = deploymentOf(manifests).template.spec;
  const { args, volumeMounts } = containers[0]!;
  const mounted: Record<string, string> = {};
  for (const { name, mountPath } of volumeMounts) {
    const volume = volumes.find((one) => one.name === name)!;
    const { data, stringData } = volume.configMap
      ? only(manifests, "ConfigMap", volume.configMap.name)
      : only(manifests, "Secret", volume.secret?.secretName);
    for (const [file, text] of Object.entries(data ?? stringData ?? {}))
      mounted[`${mountPath}/${file}`] = text;
  }
  const [command, ...rest] = args;
  expect(command).toBe("run");
  const flags = rest.flatMap((text, index) =>
    text.startsWith("--") ? [{ name: text.slice(2), value: rest[index + 1] }] : [],
  );
  return load(flags, mounted);
}

function load(flags: readonly Flag[], texts: Readonly<Record<string, string>>, config?: string): Config {
  return loadConfig({
    flags: config === undefined ? flags : [{ name: "config", value: config }, ...flags],
    env: { POD_IP: "10.0.0.1" },
    readFile(path) {
      const text = texts[path];
      if (text === undefined) throw new Error(`ENOENT ${path}`);
      return text;
    },
  });
}

const minimal = (clusters: readonly object[]): string =>
  JSON.stringify({ clusters, gateway: { adminUrls: ["http://a:1"], adminKeyFile: "f.yaml" } });

/** `list discovery.k8s.io/endpointslices`, sorted; names of objects in brackets. */
function flat(rules: readonly Rule[] | undefined): string[] {
  return (rules ?? [])
    .flatMap(({ apiGroups, resources, verbs, resourceNames }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs.map(
            (verb) => `${verb} ${group}/${resource}${resourceNames ? `[${resourceNames.join()}]` : ""}`,
          ),
        ),
      ),
    )
    .sort();
}
