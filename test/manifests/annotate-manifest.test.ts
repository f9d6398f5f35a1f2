import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDocument, stringify } from "yaml";
import { annotateManifest } from "../../src/manifests/annotate-manifest.ts";
import { checkObject } from "../../src/manifests/check-object.ts";
import { readManifestFile } from "../../src/manifests/manifest-file.ts";
import { objectsIn } from "../../src/manifests/manifest-object.ts";

const web = { name: "web", port: 80 };
const label = "apisix-translator.io/enabled";
const routes = "apisix-translator.io/routes";

function annotated(text: string, entry: Readonly<Record<string, unknown>> = web, wanted?: string): string {
  const result = annotateManifest(text, entry, wanted);
  return result.ok ? result.text : result.reasons.join("\n");
}

const block = `annotations:
    ${routes}: |
      [{"name": "web", "port": 80}]
`;

describe("only label and annotation change in the text", () => {
  test.each<[string, string, string]>([
    [
      "neither labels nor annotations",
      "kind: Pod # a\nmetadata:\n  name: x # b\n\n# c\nspec: {}\n",
      `kind: Pod # a\nmetadata:\n  name: x # b\n  labels:\n    ${label}: "true"\n  ${block}\n# c\nspec: {}\n`,
    ],
    [
      "others stand there already",
      "kind: Pod\nmetadata:\n  labels:\n    # first\n    a: b # c\n    # last\n  annotations:\n    d: |\n      e\n\n  name: x\n",
      `kind: Pod\nmetadata:\n  labels:\n    # first\n    a: b # c\n    ${label}: "true"\n    # last\n  annotations:\n    d: |\n      e\n    ${routes}: |\n      [{"name": "web", "port": 80}]\n\n  name: x\n`,
    ],
    [
      "empty ones",
      "kind: Pod\nmetadata:\n  labels:\n  annotations: {} # none\n  name: x\n",
      `kind: Pod\nmetadata:\n  labels:\n    ${label}: "true"\n  annotations: # none\n    ${routes}: |\n      [{"name": "web", "port": 80}]\n  name: x\n`,
    ],
    [
      "in braces",
      "kind: Pod\nmetadata: {name: x, labels: {a: 'b'}}\n",
      `kind: Pod\nmetadata: {name: x, labels: {a: 'b', "${label}": "true"}, "annotations": {"${routes}": "[{\\"name\\": \\"web\\", \\"port\\": 80}]\\n"}}\n`,
    ],
    [
      "a template without metadata",
      "kind: Deployment\nspec:\n  template:\n    # the Pod\n    spec:\n      a: b",
      `kind: Deployment\nspec:\n  template:\n    # the Pod\n    metadata:\n      labels:\n        ${label}: "true"\n      annotations:\n        ${routes}: |\n          [{"name": "web", "port": 80}]\n    spec:\n      a: b`,
    ],
    [
      "no line end at the end, and an object of a List",
      "kind: List\nitems:\n- kind: Pod\n  metadata:\n      name: x",
      `kind: List\nitems:\n- kind: Pod\n  metadata:\n      name: x\n      labels:\n        ${label}: "true"\n      annotations:\n        ${routes}: |\n          [{"name": "web", "port": 80}]\n`,
    ],
    [
      "line ends of Windows",
      "kind: Pod\r\nmetadata:\r\n  name: x\r\n",
      `kind: Pod\nmetadata:\n  name: x\n  labels:\n    ${label}: "true"\n  ${block}`.replaceAll("\n", "\r\n"),
    ],
    [
      "JSON, printed over lines",
      '{\n  "kind": "Pod",\n  "metadata": {\n    "name": "x",\n    "labels": {}\n  }\n}\n',
      `{\n  "kind": "Pod",\n  "metadata": {\n    "name": "x",\n    "labels": {"${label}": "true"},\n    "annotations": {"${routes}": "[{\\"name\\":\\"web\\",\\"port\\":80}]"}\n  }\n}\n`,
    ],
    [
      "another document's text",
      "%YAML 1.2\n---\na:   [ 1,2 ]   # odd\n...\n---\nkind: Pod\nmetadata:\n  name: x\n---\nb: 'c'\n",
      `%YAML 1.2\n---\na:   [ 1,2 ]   # odd\n...\n---\nkind: Pod\nmetadata:\n  name: x\n  labels:\n    ${label}: "true"\n  ${block}---\nb: 'c'\n`,
    ],
    [
      "wrong ones are replaced",
      `kind: Pod\nmetadata:\n  labels:\n    ${label}: yes # on\n  annotations:\n    ${routes}: "[]" # none yet\n    z: z\n`,
      `kind: Pod\nmetadata:\n  labels:\n    ${label}: "true" # on\n  annotations:\n    ${routes}: "[{\\"name\\": \\"web\\", \\"port\\": 80}]\\n" # none yet\n    z: z\n`,
    ],
  ])("%s", (_title, before, after) => {
    expect(annotated(before)).toBe(after);
    expect(annotated(after)).toBe(after);
  });

  test("whatever the layout, all other lines stay, and a second time changes nothing", () => {
    const text = fc.constantFrom("a", "true", "a: b", "x\ny\n", "#", "", "'", "- z");
    const map = fc.option(
      fc.dictionary(fc.constantFrom("a", "b.c/d", "app"), text, { noNullPrototype: true }),
      { nil: null },
    );
    const metadata = fc.record(
      { name: fc.constant("x"), labels: map, annotations: map },
      { requiredKeys: [] },
    );
    const pod = fc.record({ metadata, spec: fc.record({ nodeName: text }) }, { requiredKeys: ["spec"] });
    const object = fc.oneof(
      pod.map((fields) => ({ kind: "Pod", ...fields })),
      pod.map((template) => ({ kind: "DaemonSet", spec: { template, other: [1] } })),
      pod.map((template) => ({ kind: "List", items: [{ kind: "A" }, { kind: "Job", spec: { template } }] })),
    );
    const layout = fc.record({
      indent: fc.constantFrom(2, 4),
      indentSeq: fc.boolean(),
      collectionStyle: fc.constantFrom("any", "block", "flow"),
      defaultStringType: fc.constantFrom("PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE"),
    } as const);
    const file = fc.oneof(
      fc.tuple(object, layout).map(([value, options]) => stringify(value, options)),
      fc.tuple(object, fc.constantFrom(0, 2)).map(([value, space]) => JSON.stringify(value, null, space)),
    );
    fc.assert(
      fc.property(file, (before) => {
        const once = annotateManifest(before, web, undefined);
        if (!once.ok) expect.fail(once.reasons.join());
        expect(annotateManifest(once.text, web, undefined)).toEqual(once);
        const lines = once.text.split("\n");
        const isBlock = !/[{[]/.test(before);
        if (isBlock) {
          for (const line of before.split("\n"))
            expect(lines).toContain(line.replace(/((labels|annotations|metadata)['"]?): null$/, "$1:"));
        }
        const objects = readManifestFile(once.text).flatMap(objectsIn);
        const checked = objects.map(checkObject);
        expect(checked.flatMap(({ problems }) => problems)).toEqual([]);
        expect(checked.map(({ declarations }) => declarations).reduce((a, b) => a + b)).toBe(1);
      }),
      { numRuns: 150 },
    );
  });
});

describe("the entry", () => {
  const entry = (name: string, port: number): string => `{"name": "${name}", "port": ${port}}`;
  const pod = (entries: string): string =>
    `kind: Pod\nmetadata:\n  labels:\n    ${label}: "true"\n  annotations:\n    ${routes}: |\n${entries.replace(/^/gm, "      ")}\n    z: z\n`;
  const two = pod(`[\n  ${entry("a", 1)},\n  ${entry("web", 2)}\n]`);

  test("replaces the one of its name, where it stands", () => {
    expect(annotated(two)).toBe(pod(`[\n  ${entry("a", 1)},\n  ${entry("web", 80)}\n]`));
  });

  test("goes behind the others", () => {
    const three = `[\n  ${entry("a", 1)},\n  ${entry("web", 2)},\n  ${entry("b", 3)}\n]`;
    expect(annotated(two, { name: "b", port: 3 })).toBe(pod(three));
    expect(annotated(pod(entry("a", 1)))).toBe(pod(`[\n  ${entry("a", 1)},\n  ${entry("web", 80)}\n]`));
  });

  test("what YAML would not print stands as JSON's escapes", () => {
    const path = { ...web, plugins: { x: { a: "\u0085\u2028\ufeff\u007fä" } } };
    const after = annotated(pod("[]"), path);
    expect(after).toContain('"\\u0085\\u2028\\ufeff\\u007fä"');
    const text: unknown = parseDocument(after).getIn(["metadata", "annotations", routes]);
    expect(JSON.parse(String(text))).toEqual([path]);
  });
});

describe("nothing is written", () => {
  test.each<[string, string, readonly string[]]>([
    [
      "where the entry is wrong: every problem is told",
      "kind: Pod\nmetadata: {name: x}",
      ["route web: port is 0: ", "route web: retries is 11: "],
    ],
    [
      "where another entry is wrong",
      `kind: Pod\nmetadata: {annotations: {${routes}: '[{"name": "b"}]'}}`,
      ["route b: port is missing: ", "route web: port is 0: ", "route web: retries is 11: "],
    ],
    [
      "where the annotation cannot be read",
      `kind: Pod\nmetadata: {annotations: {${routes}: "[,]"}}`,
      [`${routes} is "[,]": `],
    ],
    [
      "where it is no text",
      `kind: Pod\nmetadata: {annotations: {${routes}: [1]}}`,
      [`${routes} is [1]: what stands there is no text`],
    ],
    ["into what is no manifest", "a: [", ["line 1: "]],
    ["into nothing", "", ["there is no Pod, Service or workload with a Pod template in it"]],
    [
      "into a ConfigMap",
      "kind: ConfigMap",
      ["there is no Pod, Service or workload with a Pod template in it"],
    ],
  ])("%s", (_title, manifest, reasons) => {
    const result = annotateManifest(manifest, { ...web, port: 0, retries: 11 }, undefined);
    expect(result).toEqual({ ok: false, reasons: reasons.map((reason) => expect.stringContaining(reason)) });
    expect(result.ok ? [] : result.reasons).toHaveLength(reasons.length);
  });

  test("where the manifest says that it cannot be", () => {
    const manifest = "kind: Deployment\nspec: {template: {spec: {containers: [{ports: [{name: grpc}]}]}}}";
    expect(annotated(manifest, { ...web, port: "http" })).toBe(
      'route web: port is "http": no container has a port of that name (there are: grpc)',
    );
  });

  test("where an anchor would carry it elsewhere", () => {
    const shared =
      "kind: Deployment\nmetadata:\n  labels: &l\n    a: b\nspec:\n  template:\n    metadata:\n      labels: *l\n";
    expect(annotated(shared)).toContain("labels is an alias (*l)");
    const anchor =
      "kind: List\nitems:\n- kind: Pod\n  metadata: {labels: &l {a: b}}\n- kind: X\n  labels: *l\n";
    expect(annotated(anchor)).toContain("cannot be written here without changing more than them");
  });
});

describe("which object", () => {
  const file =
    "kind: Service\nmetadata: {name: web}\n---\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {template: {spec: {}}}\n";
  const chosen = (text: string, wanted?: string): string => {
    const result = annotateManifest(text, web, wanted);
    return result.ok ? result.title : result.reasons.join();
  };

  test("the only one with Pods, or the only Service, or the one that is named", () => {
    expect(chosen(file)).toBe("Deployment/shop/web");
    expect(chosen(file, "service/web")).toBe("Service/web");
    expect(chosen(file, "Deployment/web")).toBe("Deployment/shop/web");
    expect(
      chosen(
        `${file}---\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {}}\n`,
        "deployment/shop/web",
      ),
    ).toBe("Deployment/shop/web");
    expect(chosen("kind: Service\nmetadata: {name: a}\n---\nkind: ConfigMap\n")).toBe("Service/a");
  });

  test("never a guess", () => {
    const two = `${file}---\nkind: Pod\nmetadata: {name: x}\n`;
    expect(chosen(two)).toBe(
      "several objects can carry it; choose with --object: Service/web, Deployment/shop/web, Pod/x",
    );
    expect(chosen(two, "Pod/y")).toBe(
      "there is no Pod/y that can carry it; there are: Service/web, Deployment/shop/web, Pod/x",
    );
    expect(chosen(`${two}---\nkind: Pod\nmetadata: {name: x}\n`, "Pod/x")).toContain(
      "there is more than one Pod/x",
    );
  });
});
