import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";

const main = new URL("../../src/main.ts", import.meta.url).pathname;

async function start(
  ...words: readonly string[]
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [main, ...words], { stdio: ["ignore", "pipe", "pipe"], env: {} });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}

describe("the process", () => {
  it("exits as its command says, with data and talk kept apart and no colour in a pipe", async () => {
    const [version, nothing, plan] = await Promise.all([
      start("--version"),
      start(),
      start("plan", "--config", "/nowhere"),
    ]);
    expect(version).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/), err: "" });
    expect([nothing.code, nothing.out]).toEqual([2, ""]);
    expect(nothing.err).toBe('apisix-translator: a command is missing\nSee "apisix-translator --help".\n');
    expect(plan).toEqual({
      code: 2,
      out: "",
      err: "apisix-translator plan: the configuration cannot be used: 1 problem\n  configuration file /nowhere: cannot be read: there is no such file\n",
    });
  });
});
