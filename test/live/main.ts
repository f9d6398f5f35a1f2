/** `npm run test:apisix`: what is around the tests. Arguments go to vitest: files, or `-t NAME`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { collections, isTests, type Apisix, type Item } from "./apisix.ts";
import { liveEnvironment, usage } from "./environment.ts";

const found = liveEnvironment(process.env);
if (found.ok) process.exitCode = await run(found.live.apisix);
else {
  say(`${found.problems.join("\n")}\n\n${usage}`);
  process.exitCode = 2;
}

async function run(apisix: Apisix): Promise<number> {
  let before: ReadonlyMap<string, Item>;
  try {
    before = await others(apisix);
  } catch (error) {
    say(`no Admin API of an APISIX at APISIX_ADMIN_URL: ${reasonOf(error)}`);
    return 2;
  }
  const taken = [...before].filter(([, item]) => hasTestHost(item)).map(([path]) => path);
  if (taken.length > 0) {
    say(
      `the tests use hosts under example.com, and so do ${taken.join(", ")} of this APISIX: give them another APISIX`,
    );
    return 2;
  }
  // What a run left that was killed.
  await apisix.deleteAll((_, item) => isTests(item));
  const code = await vitest(process.argv.slice(2));
  await apisix.deleteAll((_, item) => isTests(item));
  return unchanged(before, await others(apisix)) ? code : 1;
}

/** By collection and id. */
async function others(apisix: Apisix): Promise<ReadonlyMap<string, Item>> {
  const all = new Map<string, Item>();
  for (const collection of collections)
    for (const item of await apisix.list(collection))
      if (!isTests(item)) all.set(`${collection}/${item.id}`, item);
  return all;
}

function hasTestHost({ value }: Item): boolean {
  const { host, hosts = [] } = value as { readonly host?: string; readonly hosts?: readonly string[] };
  return [host ?? "", ...hosts].some((each) => /(^|\.)example\.com$/.test(each));
}

/** Ctrl-C ends vitest, not what comes after it. */
async function vitest(args: readonly string[]): Promise<number> {
  const root = new URL("../../", import.meta.url);
  const program = fileURLToPath(new URL("node_modules/vitest/vitest.mjs", root));
  const child = spawn(process.execPath, [program, "run", "--config", "vitest.apisix.config.ts", ...args], {
    ...{ stdio: "inherit", cwd: root },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

function unchanged(before: ReadonlyMap<string, Item>, after: ReadonlyMap<string, Item>): boolean {
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path)?.modifiedIndex !== after.get(path)?.modifiedIndex,
  );
  if (changed.length > 0)
    say(`changed while the tests ran, by them or by somebody else: ${changed.join(", ")}`);
  else say(`what others have in this APISIX is as it was: ${before.size} objects`);
  return changed.length === 0;
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
