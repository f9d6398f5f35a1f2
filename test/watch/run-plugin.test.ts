import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/runtime.ts";
import { pluginRunner } from "../../src/watch/run-plugin.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";

const parts = { clock: systemClock, env: process.env };
const script = (text: string) => ({ command: process.execPath, args: ["-e", text], env: {} });

/** A plugin whose process starts another one and waits for it, `then` having run; resolves once that one has called. */
async function wrapped(then = "") {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const real = `require("net").connect(${port}, "127.0.0.1").on("data", () => {})`;
  const wrapper = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(real)}], { stdio: ["ignore", "inherit", "ignore"] }); ${then}`;
  const called = once(server, "connection") as Promise<[Socket]>;
  /** Resolves to the moment when the wrapped one is gone. */
  const isUp = async (): Promise<{ gone: Promise<unknown> }> => {
    const [socket] = await called;
    socket.on("error", () => {}).resume();
    return { gone: once(socket, "close") };
  };
  return { call: script(wrapper), isUp };
}

it("hands over what the plugin printed", async () => {
  expect(await pluginRunner(parts)(script("process.stdout.write('a credential')"))).toBe("a credential");
});

it("lets no plugin outlive the translator, nor what it has started", async () => {
  const closing = new AbortController();
  const { call, isUp } = await wrapped();
  const run = pluginRunner({ ...parts, signal: closing.signal });
  const hanging = expect(run(call)).rejects.toMatchObject({ code: "KUBE_CREDENTIALS" });
  const { gone } = await isUp();
  closing.abort();
  await hanging;
  await gone;
  await expect(run(call)).rejects.toThrow("was called off");
});

it("ends a plugin, and what it has started, when nobody waits for it any more, and no other", async () => {
  const ended = new AbortController();
  const { call, isUp } = await wrapped();
  const run = pluginRunner(parts);
  const hanging = expect(run(call, ended.signal)).rejects.toThrow("was called off");
  const { gone } = await isUp();
  ended.abort();
  await hanging;
  await gone;
  expect(await run(script("process.stdout.write('a credential')"))).toBe("a credential");
});

it("ends a plugin that gives no answer for 60 s, and what it has started", async () => {
  const clock = new VirtualClock();
  const { call, isUp } = await wrapped();
  const hanging = expect(pluginRunner({ ...parts, clock })(call)).rejects.toThrow("gave no answer for 60 s");
  const { gone } = await isUp();
  await clock.advance(60_000);
  await hanging;
  await gone;
});

it("ends what a plugin has started that is gone itself and has not answered", async () => {
  const clock = new VirtualClock();
  const { call, isUp } = await wrapped("process.kill(process.pid, 'SIGKILL')");
  const failing = expect(pluginRunner({ ...parts, clock })(call)).rejects.toThrow("gave no answer");
  const { gone } = await isUp();
  await clock.advance(60_000);
  await failing;
  await gone;
});

it("ends what is running when the process ends in haste", async () => {
  const { call, isUp } = await wrapped();
  const from = (path: string): string =>
    JSON.stringify(new URL(`../../src/${path}.ts`, import.meta.url).href);
  const hasty = `
    import { systemClock } from ${from("runtime")};
    import { pluginRunner } from ${from("watch/run-plugin")};
    void pluginRunner({ clock: systemClock, env: process.env })(${JSON.stringify(call)});
    process.stdin.on("end", () => process.exit(1)).resume();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", hasty]);
  const { gone } = await isUp();
  child.stdin.end();
  await gone;
});

it("gives up a plugin that answers without end", async () => {
  const endless = script("const more = () => process.stdout.write('x'.repeat(65536), more); more()");
  await expect(pluginRunner(parts)(endless)).rejects.toThrow("answered more than 1048576 bytes");
});

it("hands on its environment but for the admin key of APISIX, and an empty standard input", async () => {
  const env = { ...process.env, APISIX_ADMIN_KEY: "hush", AWS_PROFILE: "shop" };
  const told = "process.stdin.on('end', () => console.log(JSON.stringify(process.env))).resume()";
  const output = await pluginRunner({ ...parts, env })({ ...script(told), env: { OWN: "1" } });
  expect(output).not.toContain("hush");
  expect(JSON.parse(output)).toMatchObject({ AWS_PROFILE: "shop", OWN: "1" });
});

it("fails as a plugin does where the kubeconfig asks for what no process can be started with", async () => {
  const call = { ...script(""), env: { A: "\0" } };
  await expect(pluginRunner(parts)(call)).rejects.toMatchObject({ code: "KUBE_CREDENTIALS" });
});
