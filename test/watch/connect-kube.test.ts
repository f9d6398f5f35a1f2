import { createServer } from "node:http";
import { connect as connectTcp, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/runtime.ts";
import { proxyFault, redirectFault, statusFault } from "../../src/sim/kubernetes/faults.ts";
import { timedRequest } from "../../src/watch/timed-request.ts";
import { failure, get, KubeConnections, pods, text, watch } from "./kube-connections.ts";

let kube: KubeConnections;

beforeEach(async () => {
  kube = await KubeConnections.start();
});

afterEach(() => kube.close());

describe("requests", () => {
  test("carry the token and are answered", async () => {
    const connection = await kube.connect();
    for (let index = 0; index < 3; index++) {
      const response = await get(connection);
      expect(response).toMatchObject({ status: 200, contentType: "application/json" });
      expect(JSON.parse(await text(response))).toMatchObject({ kind: "PodList" });
    }
  });

  test("give the status, the type and Retry-After of an error as a response", async () => {
    kube.server.faults.onRequest({ resource: "pods" }, statusFault(429, 7), { times: 1 });
    const response = await get(await kube.connect());
    expect(response).toMatchObject({
      status: 429,
      retryAfter: 7_000,
      contentType: "text/plain; charset=utf-8",
    });
    await text(response);
  });

  test("do not follow redirects", async () => {
    kube.server.faults.onRequest({ resource: "pods" }, redirectFault(`${kube.server.url}/version`));
    expect((await get(await kube.connect())).status).toBe(302);
  });

  test("hand on what a proxy says as it is", async () => {
    kube.server.faults.onRequest({ resource: "pods" }, proxyFault(502));
    const response = await get(await kube.connect());
    expect(response).toMatchObject({ status: 502, contentType: "text/html" });
    expect(await text(response)).toContain("<html>");
  });

  test("that break in the body reject there with KUBE_CONNECTION", async () => {
    kube.server.faults.onRequest({ resource: "pods" }, { type: "truncate", bytes: 20, clean: false });
    const response = await get(await kube.connect());
    expect((await failure(text(response))).code).toBe("KUBE_CONNECTION");
  });

  test("that break before an answer, or meet nobody, reject with KUBE_CONNECTION", async () => {
    const connection = await kube.connect();
    kube.server.faults.onRequest({ resource: "pods" }, { type: "reset" }, { times: 1 });
    expect((await failure(get(connection))).code).toBe("KUBE_CONNECTION");
    await kube.server.stop();
    expect((await failure(get(connection))).code).toBe("KUBE_CONNECTION");
  });

  test("called off before the answer or in the body reject with ABORTED", async () => {
    const connection = await kube.connect();
    const hang = kube.server.faults.onRequest({ resource: "pods" }, { type: "hang" });
    const early = new AbortController();
    const waiting = failure(get(connection, pods, early.signal));
    await kube.server.traffic.until(() => kube.server.traffic.requestCount === 1);
    early.abort();
    expect((await waiting).code).toBe("ABORTED");
    hang();
    const late = new AbortController();
    const body = failure(text(await get(connection, watch, late.signal)));
    late.abort();
    expect((await body).code).toBe("ABORTED");
  });

  test("find a socket however many watches are open", async () => {
    const connection = await kube.connect();
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
    const connection = await kube.connect({ cluster: { "certificate-authority-data": undefined } });
    expect(await failure(get(connection))).toMatchObject({
      code: "KUBE_CONNECTION",
      message:
        "the connection failed: the certificate-authority that is trusted does not fit this server's certificate (UNABLE_TO_VERIFY_LEAF_SIGNATURE)",
    });
  });

  test("insecure-skip-tls-verify trusts it all the same", async () => {
    const insecure = { "certificate-authority-data": undefined, "insecure-skip-tls-verify": true };
    expect((await get(await kube.connect({ cluster: insecure }))).status).toBe(200);
  });

  test("tls-server-name is the name that the certificate must hold", async () => {
    expect((await get(await kube.connect({ cluster: { "tls-server-name": "localhost" } }))).status).toBe(200);
    const wrong = await kube.connect({ cluster: { "tls-server-name": "elsewhere.example.com" } });
    expect(await failure(get(wrong))).toMatchObject({ code: "KUBE_CONNECTION" });
  });

  test("files are found from the kubeconfig's folder", async () => {
    await kube.write("ca.crt", kube.server.ca);
    const cluster = { "certificate-authority-data": undefined, "certificate-authority": "ca.crt" };
    expect((await get(await kube.connect({ cluster }))).status).toBe(200);
  });

  test.each([
    [{ cluster: { "certificate-authority-data": "bm90IFBFTQ==" } }, "no certificate in PEM"],
    [{ cluster: { "certificate-authority-data": "%%%" } }, "certificate-authority-data is not base64"],
    [
      { cluster: { "certificate-authority-data": undefined, "certificate-authority": "nowhere" } },
      "there is no such file",
    ],
    [{ user: { "client-certificate-data": "QQ==" } }, "certificate without its key"],
    [{ user: { "client-certificate-data": "QQ==", "client-key-data": "QQ==" } }, "not PEM or no pair"],
    [{ cluster: { server: "one:6443" } }, "server is not a URL that can be used"],
    [{ cluster: { "proxy-url": "ftp://proxy" } }, "proxy-url is not a URL that can be used"],
  ])("%j is refused when connecting", async (parts, message) => {
    expect(await failure(kube.connect(parts))).toMatchObject({
      code: "KUBE_CREDENTIALS",
      message: expect.stringContaining(message),
    });
  });
});

test("proxy-url: requests go through the proxy, in tunnels that are used again", async () => {
  const tunnels: string[] = [];
  const proxy = createServer();
  const sockets: Socket[] = [];
  proxy.on("connect", (request, client: Socket) => {
    tunnels.push(request.url ?? "");
    const upstream = connectTcp(kube.server.port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client);
      client.pipe(upstream);
    });
    sockets.push(upstream, client);
    for (const socket of [upstream, client]) socket.on("error", () => socket.destroy());
  });
  const port = await kube.listen(proxy);
  const connection = await kube.connect({ cluster: { "proxy-url": `http://127.0.0.1:${port}` } });
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
  expect(new Set(tunnels)).toEqual(new Set([`127.0.0.1:${kube.server.port}`]));
  for (const socket of sockets) socket.destroy();
});
