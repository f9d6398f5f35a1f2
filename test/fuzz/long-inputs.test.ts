import { expect, it } from "vitest";
import { parseYaml } from "../../src/config/file.ts";
import { Problems, shown } from "../../src/config/problems.ts";
import { normalizeHost } from "../../src/declare/host.ts";
import { parseRoutes } from "../../src/declare/parse.ts";
import { showValue } from "../../src/declare/problem.ts";
import { checkUri } from "../../src/declare/uri.ts";
import { matchesGlob } from "../../src/declare/host-pattern.ts";
import { loggable } from "../../src/observe/loggable.ts";
import { parseTarget } from "../../src/observe/target.ts";
import { printable } from "../../src/watch/api-status.ts";

/** Texts on which a pattern that backtracks does work in the square of their length: hours for these. */
const pieces = [
  "://",
  "eyJ-",
  "eyJa.",
  "bearer ",
  "basic \t",
  " ",
  "a.",
  "*.",
  "/../",
  "-----BEGIN ",
  "%2f",
  "{",
  '["',
  "\\",
  "@",
];
const long = pieces.map((piece) => piece.repeat(Math.ceil(1_000_000 / piece.length)));

it.each<[string, (text: string) => unknown]>([
  ["a value of the configuration, for a problem", shown],
  ["a configuration file", (text) => parseYaml(text.slice(0, 20_000), "file", new Problems())],
  ["a host", normalizeHost],
  ["a uri", checkUri],
  ["an annotation", (text) => parseRoutes(text, "pod")],
  [
    "an annotation with such a host",
    (text) => parseRoutes(JSON.stringify([{ name: "a", port: 1, host: text.slice(0, 60_000) }]), "pod"),
  ],
  ["a value of an annotation, for a problem", showValue],
  ["a host for a glob", (text) => matchesGlob("*a*a*a*a*b", text)],
  ["a text for the log", (text) => loggable({ text })],
  ["a target of explain", parseTarget],
  ["what a far side says", printable],
])("%s may be long", (_, take) => {
  for (const text of long) expect(() => take(text)).not.toThrow();
});
