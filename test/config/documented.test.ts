import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { paths } from "../../src/config/overrides.ts";
import { schema } from "../../src/config/schema.ts";

const text = readFileSync(path.join(import.meta.dirname, "../../docs/configuration.md"), "utf8");
const rows = text.split("\n").filter((line) => line.startsWith("| `"));

describe("docs/configuration.md", () => {
  it.each([...paths(schema).keys()])("has %s in a row of its section", (key) => {
    const [section = "", ...inner] = key.split(".");
    const mentioned = rows.filter((row) => row.startsWith(`| \`${section}`)).join("\n");
    expect(mentioned).toContain(inner.at(-1) ?? section);
  });

  it.each([
    "name",
    "kubeconfig",
    "context",
    "inCluster",
    "namespaces",
    "addressFamily",
    "weight",
    "sliceSelector",
  ])("has clusters[].%s", (key) => {
    expect(rows.filter((row) => row.startsWith("| `clusters[]")).join("\n")).toContain(key);
  });
});
