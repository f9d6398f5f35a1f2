import { describe, expect, test } from "vitest";
import { checkObject } from "../../src/manifests/check-object.ts";
import { readManifestFile } from "../../src/manifests/manifest-file.ts";
import { objectsIn } from "../../src/manifests/manifest-object.ts";

/** `line kind/name field: message` of every problem. */
const problems = (manifest: string): readonly string[] =>
  readManifestFile(manifest)
    .flatMap(objectsIn)
    .flatMap((object) =>
      checkObject(object).problems.map(
        ({ line, route, field, message }) =>
          `${line} ${object.kind}/${object.name} ${route === undefined ? "" : `${route} `}${field}: ${message}`,
      ),
    );

const label = "apisix-translator.io/enabled";
const routes = "apisix-translator.io/routes";
const good = `labels: {${label}: "true"}`;
const web = `${routes}: '[{"name": "web", "port": "http"}]'`;

const template = (at: string): string => `${at}metadata:
${at}  ${good}
${at}  annotations:
${at}    # the shop
${at}    ${web}
${at}spec:
${at}  containers: [{name: a, ports: [{name: grpc, containerPort: 1}]}]
`;

describe("Pod templates of workloads", () => {
  const wrong = (line: number, kind: string): string =>
    `${line} ${kind}/x web port: port is "http": no container has a port of that name (there are: grpc)`;

  test.each(["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job"])(
    "%s",
    (kind) => {
      const manifest = `kind: ${kind}\nmetadata: {name: x}\nspec:\n  template:\n${template("    ")}`;
      expect(problems(manifest)).toEqual([wrong(9, kind)]);
    },
  );

  test("CronJob and PodTemplate", () => {
    const cron = `kind: CronJob\nmetadata: {name: x}\nspec:\n  jobTemplate:\n    spec:\n      template:\n${template("        ")}`;
    expect(problems(cron)).toEqual([wrong(11, "CronJob")]);
    const bare = `kind: PodTemplate\nmetadata: {name: x}\ntemplate:\n${template("  ")}`;
    expect(problems(bare)).toEqual([wrong(8, "PodTemplate")]);
  });
});

describe("Lists", () => {
  test("a List in a file with several documents, and one in a List", () => {
    const manifest = `kind: ConfigMap
---
kind: List
items:
- kind: Service
- kind: List
  items:
  - kind: Pod
    metadata:
      name: x
      annotations:
        ${routes}: "[]"
`;
    expect(problems(manifest)).toEqual([
      `12 Pod/x ${label}: ${label} is missing: without it the routes are not read; allowed is "true", in quotes`,
    ]);
  });

  test("the items of a PodList need no kind", () => {
    const manifest = `{"kind": "PodList", "items": [\n{"metadata": {"name": "x", "annotations": {\n"${routes}": "?"}}}]}`;
    expect(problems(manifest).map((line) => line.split(": ")[0])).toEqual([
      `3 Pod/x ${routes}`,
      `3 Pod/x ${label}`,
    ]);
  });
});

describe("label and annotations", () => {
  const pod = (metadata: string): string => `kind: Pod\nmetadata:\n  name: x\n${metadata}`;

  test.each([
    ['"false"', '"false"'],
    ["true", "true"],
    ["yes", '"yes"'],
    ['"True"', '"True"'],
    ['"true "', '"true "'],
    ["", "null"],
  ])('the label must be exactly "true": %s', (written, shown) => {
    const manifest = pod(`  labels:\n    ${label}: ${written}\n  annotations:\n    ${routes}: "[]"\n`);
    expect(problems(manifest)).toEqual([
      `5 Pod/x ${label}: ${label} is ${shown}: without it the routes are not read; allowed is "true", in quotes`,
    ]);
  });

  test("a label without an annotation declares nothing, and is no problem", () => {
    expect(problems(pod(`  ${good}\n`))).toEqual([]);
    expect(problems(pod(`  labels: {${label}: "false"}\n`))).toEqual([]);
  });

  test("an annotation that is a list, not text", () => {
    const manifest = pod(`  ${good}\n  annotations:\n    ${routes}: [{name: web, port: 80}]\n`);
    expect(problems(manifest)).toEqual([
      `6 Pod/x ${routes}: ${routes} is [{"name":"web","port":80}]: the value of an annotation is text; allowed is JSON behind "|" or in quotes`,
    ]);
  });

  test("an annotation that only a Pod template or a Service can have", () => {
    const at = `metadata:\n  name: x\n  annotations:\n    ${routes}: "[]"\n    apisix-translator.io/paused: "true"\n`;
    const found = problems(`kind: Deployment\n${at}spec: {template: {}}\n`);
    expect(found).toHaveLength(2);
    expect(found[0]).toBe(
      `5 Deployment/x ${routes}: ${routes} is "[]": it is not read in the metadata of a Deployment; it belongs into spec.template.metadata.annotations`,
    );
    expect(problems(`kind: Ingress\n${at}`)[0]).toContain("allowed are Pods, Pod templates and Services");
    expect(problems(`apiVersion: serving.knative.dev/v1\nkind: Service\n${at}`)).toHaveLength(2);
    expect(problems(at)[0]).toContain("an object without a kind");
  });

  test("misspelled keys and values of ours", () => {
    const manifest = pod(`  labels:
    apisix-translator.io/enable: "true"
    app: x
  annotations:
    apisix-translator.io/route: "[]"
    apisix-translator.io/paused: true
`);
    expect(problems(manifest)).toEqual([
      '9 Pod/x apisix-translator.io/paused: apisix-translator.io/paused is true: only "true", in quotes, freezes routes',
      `5 Pod/x apisix-translator.io/enable: apisix-translator.io/enable is "true": there is nothing of this name among labels; allowed: ${label}`,
      `8 Pod/x apisix-translator.io/route: apisix-translator.io/route is "[]": there is nothing of this name among annotations; allowed: ${routes}, apisix-translator.io/paused`,
    ]);
  });

  test("anchors, aliases and merges are followed", () => {
    const manifest = pod(
      `  labels: &on {${label}: "true"}\n  annotations: &a\n    ${routes}: "?"\n---\nkind: Pod\nmetadata: {name: y}\n`,
    );
    const both = `x: &on\n  ${label}: "true"\nkind: Pod\nmetadata:\n  name: x\n  labels:\n    <<: *on\n  annotations:\n    ${routes}: "[]"\n`;
    expect(problems(manifest)).toHaveLength(1);
    expect(problems(both)).toEqual([]);
    const aliased = `x: &a\n  ${routes}: "?"\nkind: Pod\nmetadata: {name: x, ${good}, annotations: *a}\n`;
    expect(problems(aliased).map((line) => line.split(": ")[0])).toEqual([`2 Pod/x ${routes}`]);
  });
});

describe("ports", () => {
  const pod = (spec: string): string =>
    `kind: Pod\nmetadata: {name: x, ${good}, annotations: {${web}}}\n${spec}`;
  const service = (spec: string, entry: string): string =>
    `kind: Service\nmetadata: {name: x, ${good}, annotations: {${routes}: '[${entry}]'}}\nspec: ${spec}\n`;

  test.each([
    ["a container's", "spec: {containers: [{}, {ports: [{containerPort: 1}, {name: http}]}]}", 0],
    [
      "a sidecar's",
      "spec: {containers: [], initContainers: [{restartPolicy: Always, ports: [{name: http}]}]}",
      0,
    ],
    ["an init container's that ends", "spec: {containers: [], initContainers: [{ports: [{name: http}]}]}", 1],
    ["nobody's", "spec: {containers: [{name: http}]}", 1],
    ["of a patch without containers", "spec: {nodeName: a}", 0],
    ["of a patch without a spec", "", 0],
  ])("a Pod's port by name: %s", (_title, spec, count) => {
    expect(problems(pod(spec))).toHaveLength(count);
  });

  test.each([
    ["by number", "{ports: [{port: 80}]}", '{"name": "a", "port": 80}', []],
    ["by name", "{ports: [{port: 80, name: web}]}", '{"name": "a", "port": "web"}', []],
    [
      "that is not there",
      "{ports: [{port: 80, name: web}, {port: 81}]}",
      '{"name": "a", "port": 8080}',
      ["port is 8080: the Service has no such port (there are: 80 web, 81)"],
    ],
    ["that cannot be known", "{selector: {}}", '{"name": "a", "port": 8080}', []],
    [
      "of an ExternalName",
      "{type: ExternalName}",
      '{"name": "a", "port": 80}',
      ["port is 80: the Service's type is ExternalName, which has no endpoints"],
    ],
    [
      "via nodePort of a ClusterIP",
      "{ports: [{port: 80}]}",
      '{"name": "a", "port": 80, "via": "nodePort"}',
      ['via is "nodePort": a Service of type ClusterIP has no node ports'],
    ],
    [
      "via nodePort",
      "{type: NodePort, ports: [{port: 80}]}",
      '{"name": "a", "port": 80, "via": "nodePort"}',
      [],
    ],
  ])("a Service's port: %s", (_title, spec, entry, messages) => {
    expect(problems(service(spec, entry)).map((line) => line.replace(/^.*?: /, ""))).toEqual(messages);
  });
});
