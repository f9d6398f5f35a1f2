import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/runtime.ts";
import { TranslatorError } from "../../src/errors.ts";
import type { RunPlugin } from "../../src/watch/exec-credential.ts";
import { connectKube } from "../../src/watch/connect-kube.ts";
import { failure, get, KubeConnections, text } from "./kube-connections.ts";

let kube: KubeConnections;

beforeEach(async () => {
  kube = await KubeConnections.start();
});

afterEach(() => kube.close());

describe("credentials", () => {
  test("a token file is read again after a 401", async () => {
    await kube.write("token", "old\n");
    const connection = await kube.connect({ user: { tokenFile: "token" } });
    expect((await get(connection)).status).toBe(401);
    await kube.write("token", "sim-token\n");
    expect((await get(connection)).status).toBe(200);
  });

  test("an exec plugin runs once for all who wait, and again after a 401", async () => {
    let runs = 0;
    const runPlugin = async (): Promise<string> => {
      runs++;
      return JSON.stringify({ status: { token: runs === 1 ? "old" : "sim-token" } });
    };
    const connection = await kube.connect({ user: { exec: { command: "get-token" } } }, { runPlugin });
    const statuses = async (): Promise<number[]> =>
      (await Promise.all([get(connection), get(connection), get(connection)])).map(({ status }) => status);
    expect(await statuses()).toEqual([401, 401, 401]);
    expect(runs).toBe(1);
    expect(await statuses()).toEqual([200, 200, 200]);
    expect(runs).toBe(2);
  });

  test("an exec plugin is a real command with its arguments and environment", async () => {
    const script = 'echo "{\\"status\\":{\\"token\\":\\"$PREFIX-$1\\"}}"';
    const exec = {
      command: "/bin/sh",
      args: ["-c", script, "plugin", "token"],
      env: [{ name: "PREFIX", value: "sim" }],
    };
    expect((await get(await kube.connect({ user: { exec } }))).status).toBe(200);
  });

  test("an exec plugin is called off with those who wait for its connection, and with the connection", async () => {
    const hang = async (signal: AbortSignal | undefined): Promise<string> => {
      if (signal?.aborted === false) await once(signal, "abort");
      throw new TranslatorError("ABORTED", "called off");
    };
    const user = { exec: { command: "x" } };
    const given = new AbortController();
    const connecting = failure(
      kube.connect(
        { user },
        {
          signal: given.signal,
          runPlugin: (_call, signal) => {
            given.abort();
            return hang(signal);
          },
        },
      ),
    );
    expect((await connecting).code).toBe("ABORTED");

    let runs = 0;
    const expired = { token: "sim-token", expirationTimestamp: new Date(0).toISOString() };
    const runPlugin: RunPlugin = (_call, signal) =>
      ++runs === 1 ? Promise.resolve(JSON.stringify({ status: expired })) : hang(signal);
    const early = new AbortController();
    const connection = await kube.connect({ user }, { runPlugin, signal: early.signal });
    const asking = failure(get(connection));
    // Whose attempt it was may end long before what has come of it.
    early.abort();
    expect(await Promise.race([asking, Promise.resolve("asking")])).toBe("asking");
    await connection.close();
    expect([(await asking).code, runs]).toEqual(["ABORTED", 2]);
  });

  test.each([
    [{ command: "/nowhere/plugin" }, "failed: ENOENT"],
    [{ command: "/bin/sh", args: ["-c", "echo SECRET; echo SECRET >&2; exit 3"] }, "failed: 3"],
    [{ command: "/bin/sh", args: ["-c", "echo SECRET"] }, "not JSON"],
    [{ command: "/bin/sh", args: ["-c", "echo '{\"status\":{}}'"] }, "neither token nor certificate"],
    [{ command: "" }, "has no command"],
    [{ command: "x", interactiveMode: "Always" }, "wants a terminal"],
  ])("exec %j fails with the reason and without what it said", async (exec, message) => {
    const error = await failure(kube.connect({ user: { exec } }));
    expect(error).toMatchObject({ code: "KUBE_CREDENTIALS", message: expect.stringContaining(message) });
    expect(error.message).not.toContain("SECRET");
  });

  test("inCluster outside a cluster, and a kubeconfig that is not there, say so", async () => {
    const options = { clock: systemClock, env: {} };
    const inCluster = { name: "home", kubeconfig: undefined, context: undefined, inCluster: true };
    expect(await failure(connectKube(inCluster, options))).toMatchObject({ code: "KUBE_CREDENTIALS" });
    const missing = {
      name: "east-1",
      kubeconfig: join(kube.folder, "none"),
      context: undefined,
      inCluster: false,
    };
    expect(await failure(connectKube(missing, options))).toMatchObject({
      code: "KUBE_CREDENTIALS",
      message: expect.stringContaining("cannot be read: there is no such file"),
    });
  });

  test("basic authentication and impersonation are sent as headers", async () => {
    let headers: Record<string, unknown> = {};
    const plain = await kube.listen(
      createServer((request, response) => {
        headers = request.headers;
        response.end("{}");
      }),
    );
    const user = { username: "me", password: "pass", as: "someone" };
    const cluster = { server: `http://127.0.0.1:${plain}/prefix`, "certificate-authority-data": undefined };
    await text(await get(await kube.connect({ user, cluster })));
    expect(headers).toMatchObject({ authorization: "Basic bWU6cGFzcw==", "impersonate-user": "someone" });
    expect(headers).not.toHaveProperty("accept-encoding");
  });
});
