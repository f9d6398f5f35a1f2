import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const root = new URL("../..", import.meta.url).pathname;
const tsc = join(root, "node_modules/.bin/tsc");

let folder: string;
/** An empty project that has installed the package. */
let project: string;

/**
 * Packs what `npm run build` makes, without touching the checkout's own `dist/`, and installs the tarball. The SDK has
 * no dependencies, so nothing else needs to be there and nothing is downloaded.
 */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "apisix-translator-sdk-"));
  project = join(folder, "project");
  const source = join(folder, "source");
  const installed = join(project, "node_modules/apisix-translator");
  mkdirSync(installed, { recursive: true });
  mkdirSync(join(source, "src/sdk"), { recursive: true });
  for (const file of ["package.json", "README.md", "src/sdk/routes.schema.json"])
    cpSync(join(root, file), join(source, file));
  // Type errors anywhere are the business of `npm run types`: what is emitted counts here.
  await run(tsc, ["-p", "tsconfig.build.json", "--outDir", join(source, "dist")], { cwd: root }).catch(
    (error: unknown) => {
      if (!existsSync(join(source, "dist/src/sdk/sdk.js"))) throw error;
    },
  );
  await run("npm", ["pack", "--ignore-scripts", "--offline", "--pack-destination", folder], { cwd: source });
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const tarball = join(folder, `apisix-translator-${version}.tgz`);
  await run("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  writeFileSync(join(project, "package.json"), '{"type": "module"}');
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = `
import { podMetadata, validateRoutes } from "apisix-translator/sdk";
const metadata = podMetadata([{ name: "web", port: 8080 }], { labels: { app: "web" } });
let problems = [];
try { podMetadata([{ name: "web", port: 0 }]); } catch (error) { problems = error.problems; }
globalThis.result = JSON.stringify({ metadata, fields: problems.map(({ field }) => field), ok: validateRoutes([]).ok });
`;
const printed = {
  metadata: {
    labels: { app: "web", "apisix-translator.io/enabled": "true" },
    annotations: { "apisix-translator.io/routes": '[{"name":"web","port":8080}]' },
  },
  fields: ["port"],
  ok: true,
};

test("the packed SDK is imported by Node, and the schema lies beside it", async () => {
  writeFileSync(
    join(project, "main.js"),
    `import schema from "apisix-translator/routes.schema.json" with { type: "json" };
${program}
console.log(globalThis.result + schema.title);`,
  );
  const { stdout } = await run(process.execPath, ["main.js"], { cwd: project });
  expect(stdout).toBe(`${JSON.stringify(printed)}apisix-translator.io/routes\n`);
});

test("the packed SDK is bundled for a browser, of its own files only, and runs with what a browser has", async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: project },
    bundle: true,
    minify: true,
    platform: "browser",
    format: "iife",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const inputs = Object.keys(metafile.inputs).filter((name) => name !== "<stdin>");
  expect(inputs.filter((name) => !/\/dist\/src\/(sdk|declare)\/[\w-]+\.js$/.test(name))).toEqual([]);
  const text = outputFiles[0]?.text ?? "";
  expect(text).not.toContain("node:");
  // Said where a reader of the test's output sees it; the bound is there to notice a library that slipped in.
  process.stderr.write(`SDK bundle, minified: ${(text.length / 1000).toFixed(1)} kB\n`);
  expect(text.length).toBeLessThan(40_000);
  const browser = { URL, TextEncoder, result: "" };
  runInNewContext(text, browser);
  expect(JSON.parse(browser.result)).toEqual(printed);
});

test("the packed SDK's types are understood", async () => {
  writeFileSync(
    join(project, "typed.ts"),
    `import { podMetadata, validateRoutes, type Problem } from "apisix-translator/sdk";
export const labels: Record<string, string> = podMetadata({ name: "a", port: 80 }, { labels: { b: "c" } }).labels;
const judged = validateRoutes(1 as unknown);
export const problems: readonly Problem[] = judged.ok ? [] : judged.problems;
// @ts-expect-error a field that is not known
podMetadata({ name: "a", port: 80, hots: "x" });
`,
  );
  const flags = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--lib",
    "es2023,dom",
    "--types",
    "",
  ];
  await run(tsc, [...flags, "typed.ts"], { cwd: project }).catch((error: { stdout?: string }) =>
    expect.fail(error.stdout ?? String(error)),
  );
});
