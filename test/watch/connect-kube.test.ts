import { createServer, type Server } from "node:http";
import { connect as connectTcp, type AddressInfo, type Socket } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TranslatorError } from "../../src/errors.ts";
import { systemClock } from "../../src/runtime.ts";
import { proxyFault, redirectFault, statusFault } from "../../src/sim/kubernetes/faults.ts";
import { startKubeServer, type KubeServer } from "../../src/sim/kubernetes/kube-server.ts";
import { connectKube, type ConnectOptions } from "../../src/watch/connect-kube.ts";
import type { KubeConnection } from "../../src/watch/kube-connection.ts";
import { timedRequest } from "../../src/watch/timed-request.ts";
import type { KubeResponse } from "../../src/watch/transport.ts";

let server: KubeServer;
let folder: string;
const connections: KubeConnection[] = [];
const others: Server[] = [];

beforeEach(async () => {
  [server, folder] = await Promise.all([
    startKubeServer({ name: "east-1" }),
    mkdtemp(join(tmpdir(), "connect-kube-")),
  ]);
});

afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  for (const other of others.splice(0)) {
    other.close();
    other.closeAllConnections();
  }
  await server.close();
  await rm(folder, { recursive: true });
});

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
}

/** Connects through a kubeconfig file that differs from the server's own in these parts. */
async function connected(parts: Parts = {}, options: Partial<ConnectOptions> = {}): Promise<KubeConnection> {
  const ca = Buffer.from(server.ca).toString("base64");
  const cluster = { server: server.url, "certificate-authority-data": ca, ...parts.cluster };
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: parts.user ?? { token: "sim-token" } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );
  const address = { name: "east-1", kubeconfig, context: undefined, inCluster: false };
  const connection = await connectKube(address, { clock: systemClock, env: {}, ...options });
  connections.push(connection);
  return connection;
}

const pods = "/api/v1/pods?limit=500";
const watch = "/api/v1/pods?watch=true&resourceVersion=0";

function get(
  connection: KubeConnection,
  path = pods,
  signal = new AbortController().signal,
): Promise<KubeResponse> {
  return connection({ path, accept: "application/json", signal });
}

async function text(response: KubeResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function failure(run: Promise<unknown>): Promise<TranslatorError> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TranslatorError);
  return error as TranslatorError;
}

describe("requests", () => {
  test("carry the token and are answered", async () => {
    const connection = await connected();
    for (let index = 0; index < 3; index++) {
      const response = await get(connection);
      expect(response).toMatchObject({ status: 200, contentType: "application/json" });
      expect(JSON.parse(await text(response))).toMatchObject({ kind: "PodList" });
    }
  });

  test("give the status, the type and Retry-After of an error as a response", async () => {
    server.faults.onRequest({ resource: "pods" }, statusFault(429, 7), { times: 1 });
    const response = await get(await connected());
    expect(response).toMatchObject({
      status: 429,
      retryAfter: 7_000,
      contentType: "text/plain; charset=utf-8",
    });
    await text(response);
  });

  test("do not follow redirects", async () => {
    server.faults.onRequest({ resource: "pods" }, redirectFault(`${server.url}/version`));
    expect((await get(await connected())).status).toBe(302);
  });

  test("hand on what a proxy says as it is", async () => {
    server.faults.onRequest({ resource: "pods" }, proxyFault(502));
    const response = await get(await connected());
    expect(response).toMatchObject({ status: 502, contentType: "text/html" });
    expect(await text(response)).toContain("<html>");
  });

  test("that break in the body reject there with KUBE_CONNECTION", async () => {
    server.faults.onRequest({ resource: "pods" }, { type: "truncate", bytes: 20, clean: false });
    const response = await get(await connected());
    expect((await failure(text(response))).code).toBe("KUBE_CONNECTION");
  });

  test("that break before an answer, or meet nobody, reject with KUBE_CONNECTION", async () => {
    const connection = await connected();
    server.faults.onRequest({ resource: "pods" }, { type: "reset" }, { times: 1 });
    expect((await failure(get(connection))).code).toBe("KUBE_CONNECTION");
    await server.stop();
    expect((await failure(get(connection))).code).toBe("KUBE_CONNECTION");
  });

  test("called off before the answer or in the body reject with ABORTED", async () => {
    const connection = await connected();
    const hang = server.faults.onRequest({ resource: "pods" }, { type: "hang" });
    const early = new AbortController();
    const waiting = failure(get(connection, pods, early.signal));
    await server.traffic.until(() => server.traffic.requestCount === 1);
    early.abort();
    expect((await waiting).code).toBe("ABORTED");
    hang();
    const late = new AbortController();
    const body = failure(text(await get(connection, watch, late.signal)));
    late.abort();
    expect((await body).code).toBe("ABORTED");
  });

  test("find a socket however many watches are open", async () => {
    const connection = await connected();
    const end = new AbortController();
    const open = await Promise.all(Array.from({ length: 12 }, () => get(connection, watch, end.signal)));
    expect(open.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
    expect((await get(connection)).status).toBe(200);
    const ends = open.map((response) => failure(text(response)));
    end.abort();
    await Promise.all(ends);
  });
});

describe("trust", () => {
  test("a server that another authority signed is refused", async () => {
    const connection = await connected({ cluster: { "certificate-authority-data": undefined } });
    expect(await failure(get(connection))).toMatchObject({
      code: "KUBE_CONNECTION",
      message: expect.stringMatching(/certificate/),
    });
  });

  test("insecure-skip-tls-verify trusts it all the same", async () => {
    const insecure = { "certificate-authority-data": undefined, "insecure-skip-tls-verify": true };
    expect((await get(await connected({ cluster: insecure }))).status).toBe(200);
  });

  test("tls-server-name is the name that the certificate must hold", async () => {
    expect((await get(await connected({ cluster: { "tls-server-name": "localhost" } }))).status).toBe(200);
    const wrong = await connected({ cluster: { "tls-server-name": "elsewhere.example.com" } });
    expect(await failure(get(wrong))).toMatchObject({ code: "KUBE_CONNECTION" });
  });

  test("files are found from the kubeconfig's folder", async () => {
    await writeFile(join(folder, "ca.crt"), server.ca);
    const cluster = { "certificate-authority-data": undefined, "certificate-authority": "ca.crt" };
    expect((await get(await connected({ cluster }))).status).toBe(200);
  });

  test.each([
    [{ cluster: { "certificate-authority-data": "bm90IFBFTQ==" } }, "no certificate in PEM"],
    [{ cluster: { "certificate-authority-data": "%%%" } }, "no certificate in PEM"],
    [{ cluster: { "certificate-authority-data": undefined, "certificate-authority": "nowhere" } }, "ENOENT"],
    [{ user: { "client-certificate-data": "QQ==" } }, "certificate without its key"],
    [{ user: { "client-certificate-data": "QQ==", "client-key-data": "QQ==" } }, "not PEM or no pair"],
    [{ cluster: { server: "one:6443" } }, "server is not a URL that can be used"],
    [{ cluster: { "proxy-url": "ftp://proxy" } }, "proxy-url is not a URL that can be used"],
  ])("%j is refused when connecting", async (parts, message) => {
    expect(await failure(connected(parts))).toMatchObject({
      code: "KUBE_CREDENTIALS",
      message: expect.stringContaining(message),
    });
  });
});

describe("credentials", () => {
  test("a token file is read again after a 401", async () => {
    await writeFile(join(folder, "token"), "old\n");
    const connection = await connected({ user: { tokenFile: "token" } });
    expect((await get(connection)).status).toBe(401);
    await writeFile(join(folder, "token"), "sim-token\n");
    expect((await get(connection)).status).toBe(200);
  });

  test("an exec plugin runs once for all who wait, and again after a 401", async () => {
    let runs = 0;
    const runPlugin = async (): Promise<string> => {
      runs++;
      return JSON.stringify({ status: { token: runs === 1 ? "old" : "sim-token" } });
    };
    const connection = await connected({ user: { exec: { command: "get-token" } } }, { runPlugin });
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
    expect((await get(await connected({ user: { exec } }))).status).toBe(200);
  });

  test.each([
    [{ command: "/nowhere/plugin" }, "failed: ENOENT"],
    [{ command: "/bin/sh", args: ["-c", "echo SECRET; echo SECRET >&2; exit 3"] }, "failed: 3"],
    [{ command: "/bin/sh", args: ["-c", "echo SECRET"] }, "not JSON"],
    [{ command: "/bin/sh", args: ["-c", "echo '{\"status\":{}}'"] }, "neither token nor certificate"],
    [{ command: "" }, "has no command"],
    [{ command: "x", interactiveMode: "Always" }, "wants a terminal"],
  ])("exec %j fails with the reason and without what it said", async (exec, message) => {
    const error = await failure(connected({ user: { exec } }));
    expect(error).toMatchObject({ code: "KUBE_CREDENTIALS", message: expect.stringContaining(message) });
    expect(error.message).not.toContain("SECRET");
  });

  test("inCluster outside a cluster, and a kubeconfig that is not there, say so", async () => {
    const options = { clock: systemClock, env: {} };
    const inCluster = { name: "home", kubeconfig: undefined, context: undefined, inCluster: true };
    expect(await failure(connectKube(inCluster, options))).toMatchObject({ code: "KUBE_CREDENTIALS" });
    const missing = {
      name: "east-1",
      kubeconfig: join(folder, "none"),
      context: undefined,
      inCluster: false,
    };
    expect(await failure(connectKube(missing, options))).toMatchObject({
      code: "KUBE_CREDENTIALS",
      message: expect.stringContaining("ENOENT"),
    });
  });

  test("basic authentication and impersonation are sent as headers", async () => {
    let headers: Record<string, unknown> = {};
    const plain = await listening(
      createServer((request, response) => {
        headers = request.headers;
        response.end("{}");
      }),
    );
    const user = { username: "me", password: "pass", as: "someone" };
    const cluster = { server: `http://127.0.0.1:${plain}/prefix`, "certificate-authority-data": undefined };
    await text(await get(await connected({ user, cluster })));
    expect(headers).toMatchObject({ authorization: "Basic bWU6cGFzcw==", "impersonate-user": "someone" });
    expect(headers).not.toHaveProperty("accept-encoding");
  });
});

test("proxy-url: requests go through the proxy, in tunnels that are used again", async () => {
  const tunnels: string[] = [];
  const proxy = createServer();
  const sockets: Socket[] = [];
  proxy.on("connect", (request, client: Socket) => {
    tunnels.push(request.url ?? "");
    const upstream = connectTcp(server.port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client);
      client.pipe(upstream);
    });
    sockets.push(upstream, client);
    for (const socket of [upstream, client]) socket.on("error", () => socket.destroy());
  });
  const port = await listening(proxy);
  const connection = await connected({ cluster: { "proxy-url": `http://127.0.0.1:${port}` } });
  const limits = { answer: 10_000, silence: 10_000 };
  for (let index = 0; index < 8; index++) {
    const { signal } = new AbortController();
    const request = { path: pods, accept: "application/json", signal, limits };
    const response = await timedRequest(connection, systemClock, request);
    expect(response.status).toBe(200);
    await text(response);
  }
  // Sockets outlive requests that end in order. Two, because undici counts a socket as busy for a moment longer.
  expect(tunnels.length).toBeLessThanOrEqual(2);
  expect(new Set(tunnels)).toEqual(new Set([`127.0.0.1:${server.port}`]));
  for (const socket of sockets) socket.destroy();
});

async function listening(other: Server): Promise<number> {
  others.push(other);
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  return (other.address() as AddressInfo).port;
}
