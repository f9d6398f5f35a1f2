import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseArguments } from "../../src/commands/arguments.ts";
import { runCommand } from "../../src/commands/cli.ts";
import { lintCommand } from "../../src/commands/lint.ts";
import { lintFile } from "../../src/commands/lint-file.ts";
import type { LintProblem } from "../../src/commands/lint-file.ts";
import { parseRoutes } from "../../src/declare/parse.ts";
import { fieldTable } from "../declare/field-table.ts";
import { grammarTable } from "../declare/grammar-table.ts";
import { recordedIo } from "./recorded-io.ts";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function lint(line: string, files: Readonly<Record<string, string>>, stdin = ""): Promise<Ran> {
  const { io, out, err } = recordedIo({ files });
  const command = lintCommand(() => Promise.resolve(stdin));
  const code = await command.run(parseArguments(command, line.split(" ")), io);
  return { code, out: out(), err: err() };
}

const problemsIn = (manifest: string): readonly LintProblem[] => lintFile("m.yaml", manifest).problems;

const routes = (text: string): string => `  annotations:\n    apisix-translator.io/routes: ${text}\n`;
const enabled = '  labels: {apisix-translator.io/enabled: "true"}\n';
const pod = (metadata: string, spec = ""): string =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n${metadata}${spec}`;

describe("what the translator refuses lint refuses, and nothing else", () => {
  it.each([...grammarTable, ...fieldTable].map((row) => [row.title, row] as const))(
    "%s",
    (_title, { annotation, kind }) => {
      const manifest = JSON.stringify({
        kind: kind === "pod" ? "Pod" : "Service",
        metadata: {
          labels: { "apisix-translator.io/enabled": "true" },
          annotations: { "apisix-translator.io/routes": annotation },
        },
      });
      const parsed = parseRoutes(annotation, kind);
      const expected = parsed.readable
        ? parsed.entries.flatMap((entry) => (entry.ok ? [] : entry.problems))
        : [parsed.problem];
      const { problems, declarations } = lintFile("m.json", manifest);
      expect(problems.map(({ route, field, message }) => [route, field, message])).toEqual(
        expected.map(({ route, field, message }) => [route, field, message]),
      );
      expect(declarations).toBe(parsed.readable ? parsed.entries.length : 1);
    },
  );
});

describe("lint", () => {
  const bad = pod(`${enabled}${routes('|\n      [{"name": "web", "port": 0}]')}`);

  it("says nothing but how much it looked at where all is well", async () => {
    const good = pod(`${enabled}${routes('\'[{"name": "web", "port": 80}]\'')}`);
    const files = { "a.yaml": good, "b.yaml": `---\n# nothing\n---\nkind: ConfigMap\n---\n${good}` };
    expect(await lint("a.yaml b.yaml", files)).toEqual({
      code: 0,
      out: "",
      err: "2 files, 3 objects, 2 declarations (2 have no host: they need defaults.host), no problem; which hosts and plugins policy allows is not judged here\n",
    });
    expect(JSON.parse((await lint("a.yaml --output json", files)).out)).toEqual({ problems: [] });
  });

  it("names file, line, object, route, field and value, and exits 1", async () => {
    expect(await lint("bad.yaml", { "bad.yaml": `# comment\n---\n${bad}` })).toEqual({
      code: 1,
      out: "bad.yaml:9: Pod web, route web: port is 0: allowed is an integer from 1 to 65535, or the name of a container port\n",
      err: "1 file, 1 object, 1 declaration, 1 problem\n",
    });
  });

  it("notes a labelled object that declares nothing, for people alone, and it is no problem", async () => {
    const files = { "a.yaml": pod(enabled), "b.yaml": pod(`${enabled}${routes("'[]'")}`) };
    const { code, out, err } = await lint("a.yaml b.yaml", files);
    expect([code, out]).toEqual([0, ""]);
    expect(err).toMatch(
      /^a.yaml:5: notice: Pod web: it carries the label apisix-translator.io\/enabled and declares nothing: the annotation apisix-translator.io\/routes is missing\n2 files/,
    );
    expect((await lint("a.yaml --output json", files)).err).not.toContain("notice");
  });

  it.each([
    ["apisix-translator.io/route", true],
    ["apisix-translator/routes", true],
    ["apisix-transltor.io/routes", true],
    ["Apisix-Translator.io/routes", true],
    ["apisix/routes", false],
    ["apisix.apache.org/routes", false],
    ["app.kubernetes.io/name", false],
    ["routes", false],
  ])("the annotation %s is a problem: %s", (key, isProblem) => {
    const problems = problemsIn(pod(`${enabled}  annotations:\n    ${key}: "[]"\n`));
    expect(problems.map(({ field }) => field)).toEqual(isProblem ? [key] : []);
  });

  it("prints one JSON document", async () => {
    const { code, out } = await lint("bad.yaml --output json", { "bad.yaml": bad });
    const message = "port is 0: allowed is an integer from 1 to 65535, or the name of a container port";
    expect([code, JSON.parse(out)]).toEqual([
      1,
      {
        problems: [
          {
            file: "bad.yaml",
            line: 7,
            kind: "Pod",
            namespace: "",
            name: "web",
            route: "web",
            field: "port",
            value: 0,
            message,
          },
        ],
      },
    ]);
  });

  it("prints GitHub annotations that nothing in a manifest can break out of", async () => {
    const file = "a,b:c.yaml";
    const sneaky = bad.replace("name: web", 'name: "50%\\n::error::x"').replace('"port": 0', '"port": "%0A"');
    const { out } = await lint(`${file} --output github`, { [file]: sneaky });
    expect(out).toBe(
      '::error file=a%2Cb%3Ac.yaml,line=7,title=apisix-translator lint::Pod 50%25\u{fffd}::error::x, route web: port is "%250A": allowed is an integer from 1 to 65535, or the name of a container port\n',
    );
  });

  it("reads standard input as -", async () => {
    const { code, out } = await lint("-", {}, bad);
    expect(`${code} ${out}`).toMatch(/^1 -:7: Pod web, route web: port is 0/);
  });

  it("tells a file that is neither YAML nor JSON by line, goes on with the others, and exits 1", async () => {
    const files = {
      "a.yaml": "a: {{ x }}\nb: [1\n",
      "b.yaml": bad,
      "c.txt": "just words",
      "d.yaml": "a: 1\na: 2\n",
    };
    const { code, out } = await lint("a.yaml b.yaml c.txt d.yaml", files);
    expect(code).toBe(1);
    expect(out).toMatch(/^a.yaml:\d: it is neither YAML nor JSON, column \d+: .+\nb.yaml:7: /);
    expect(out).toContain(
      "c.txt:1: it is no Kubernetes object: a mapping with apiVersion and kind is expected\n",
    );
    expect(out).toContain("d.yaml:2: it is neither YAML nor JSON, column 1: Map keys must be unique\n");
  });

  it("goes on after a file that cannot be read, and exits 2", async () => {
    expect(await lint("gone.yaml bad.yaml", { "bad.yaml": bad })).toEqual({
      code: 2,
      out: expect.stringContaining("bad.yaml:7: "),
      err: "gone.yaml: cannot be read: there is no such file\n1 file, 1 object, 1 declaration, 1 problem\n",
    });
  });

  it.each([
    ["lint", "FILE is missing; - is standard input"],
    ["lint - -", "- is given twice"],
    ["lint a --output xml", '--output got "xml"; allowed: text or json or github'],
  ])("%j is bad usage", async (line, sentence) => {
    const { io, err } = recordedIo();
    expect(await runCommand(line.split(" "), "1.2.3", io)).toBe(2);
    expect(err()).toBe(`apisix-translator lint: ${sentence}\nSee "apisix-translator lint --help".\n`);
  });

  it("reads a pipe in a process of its own", async () => {
    const main = new URL("../../src/main.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [main, "lint", "-"], { env: {} });
    child.stdin.end(bad);
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    const [code, out] = await Promise.all([ended, text(child.stdout)]);
    expect([code, out.slice(0, 10)]).toEqual([1, "-:7: Pod w"]);
  });

  it("never throws, whatever a file holds", () => {
    const piece = fc.constantFrom(
      ...[
        "kind: Pod\n",
        "kind: List\n",
        "items:\n",
        "- ",
        "  ",
        "metadata:\n",
        "{",
        "}",
        "[",
        "]",
        "&a ",
        "*a",
        "<<: *a\n",
      ],
      ...[
        "---\n",
        "|\n",
        '"',
        "apisix-translator.io/routes: ",
        "annotations:\n",
        "!x ",
        "? ",
        ": ",
        "\t",
        "\r\n",
        "# c\n",
        "a",
      ],
    );
    const manifest = fc.array(fc.oneof({ weight: 5, arbitrary: piece }, fc.string()), { maxLength: 25 });
    fc.assert(
      fc.property(manifest, (pieces) => {
        for (const { line, message } of problemsIn(pieces.join(""))) {
          expect(line).toBeGreaterThan(0);
          expect(message).not.toBe("");
        }
      }),
      { numRuns: 500 },
    );
    expect(problemsIn("[".repeat(20_000))).not.toEqual([]);
    expect(
      problemsIn(
        `a: &a [1,1,1,1]\n${"b".replace("b", "b: &b [*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c]\n")}`,
      ),
    ).not.toEqual([]);
  });
});
