import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it, vi } from "vitest";
import { readTextFile } from "../../src/config/file.ts";
import { load, minimal, problemsOf, problemsOfSources } from "./given.ts";

const bomb = `
a: &a [x, x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
d: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
`;

describe("the configuration file", () => {
  it.each([
    ["empty", "", "is empty; allowed: one mapping of keys"],
    ["only comments", "# nothing\n", "is empty; allowed: one mapping of keys"],
    ["a list", "- a\n", "is not a mapping; allowed: one mapping of keys"],
    ["a word", "hello", "is not a mapping; allowed: one mapping of keys"],
    ["a key twice", "instance: a\ninstance: b\n", "line 2, column 1: Map keys must be unique"],
    ["two documents", "instance: a\n---\ninstance: b\n", "line 2, column 1: a second document"],
    [
      "not closed",
      "instance: [a\n",
      "line 2, column 1: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
    [
      "an unknown tag",
      "instance: !!js/regexp a\n",
      "line 1, column 11: Unresolved tag: tag:yaml.org,2002:js/regexp",
    ],
    [
      "an alias of nothing",
      "instance: *a\n",
      "is not usable as YAML: Unresolved alias (the anchor must be set before the alias): a",
    ],
    [
      "a bomb of aliases",
      bomb,
      "is not usable as YAML: Excessive alias count indicates a resource exhaustion attack",
    ],
  ])("is refused where it is %s", (_, yaml, problem) => {
    expect(problemsOf({ yaml })).toEqual([`configuration file config.yaml: ${problem}`]);
  });

  it("may have a list for a key, which is unknown like others and said nowhere else", () => {
    const warned: string[] = [];
    const emitWarning = vi.spyOn(process, "emitWarning").mockImplementation((what) => {
      warned.push(String(what));
    });
    expect(problemsOf({ yaml: `${minimal}\n? [a]\n: 1\n` })).toEqual([
      expect.stringContaining("unknown key"),
    ]);
    emitWarning.mockRestore();
    expect(warned).toEqual([]);
  });

  it("is refused where it is nested beyond all reason", () => {
    expect(problemsOf({ yaml: `a: ${"[".repeat(50_000)}` })).toHaveLength(6);
  });

  it("is refused where it is not there, with nothing said about what it may hold", () => {
    expect(problemsOf({ flags: { config: "none.yaml" } })).toEqual([
      "configuration file none.yaml: cannot be read: there is no such file",
    ]);
  });

  it("may be left out, which leaves the lists missing", () => {
    expect(problemsOf({ flags: { "leader.enabled": "false" } }).map((line) => line.split(";")[0])).toEqual([
      "no configuration file is named",
      "clusters: is missing",
      "gateway.adminUrls: is missing",
    ]);
  });

  it("may use anchors", () => {
    const yaml = `${minimal}throttle: {quiet: &short 20ms, maxDelay: *short}\n`;
    expect(load({ yaml }).throttle).toMatchObject({ quiet: 20, maxDelay: 20 });
  });

  it("never makes loadConfig fail in another way, whatever it holds", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({
        unit: fc.constantFrom(
          "a",
          ":",
          " ",
          "\n",
          "-",
          "[",
          "]",
          "{",
          "}",
          "&",
          "*",
          "!",
          "|",
          '"',
          "#",
          "?",
        ),
      }),
      fc.json(),
      fc
        .record({
          clusters: fc.jsonValue(),
          gateway: fc.jsonValue(),
          policy: fc.jsonValue(),
          throttle: fc.jsonValue(),
        })
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(text, (yaml) => {
        expect(problemsOf({ yaml })).not.toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("readTextFile", () => {
  const directory = mkdtempSync(join(tmpdir(), "translator-config-"));
  afterAll(() => rmSync(directory, { recursive: true }));
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };

  it("reads what is longer than a piece", () => {
    const content = "ä".repeat(100_000);
    expect(readTextFile(file("long", content))).toBe(content);
  });

  it.each([
    ["a directory", () => directory, "it is a directory"],
    ["not UTF-8", () => file("latin", Buffer.from([0xff, 0xfe, 0x41])), "it is not UTF-8 text"],
    ["endless", () => "/dev/zero", "it is over 8 MiB"],
    ["missing", () => join(directory, "none"), "there is no such file"],
  ])("lets loadConfig say that a file is %s", (_, path, reason) => {
    const config = path();
    const sources = { flags: [{ name: "config", value: config }], env: {}, readFile: readTextFile };
    expect(problemsOfSources(sources)).toEqual([`configuration file ${config}: cannot be read: ${reason}`]);
  });
});
