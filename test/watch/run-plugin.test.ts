import { expect, it } from "vitest";
import { pluginRunner } from "../../src/watch/run-plugin.ts";

const script = (text: string) => ({ command: process.execPath, args: ["-e", text], env: {} });

it("hands over what the plugin printed", async () => {
  const run = pluginRunner(process.env);
  expect(await run(script("process.stdout.write('a credential')"))).toBe("a credential");
});

it("lets no plugin outlive the translator", async () => {
  const closing = new AbortController();
  const hanging = pluginRunner(process.env, closing.signal)(script("setInterval(() => {}, 1000)"));
  closing.abort();
  await expect(hanging).rejects.toMatchObject({ code: "KUBE_CREDENTIALS" });
});
