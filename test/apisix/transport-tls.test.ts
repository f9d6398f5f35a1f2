import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createHttpTransport } from "../../src/apisix/http-transport.ts";
import { NotSent } from "../../src/apisix/not-sent.ts";
import { Secret } from "../../src/config/secret.ts";
import type { TlsMaterial } from "../../src/config/tls-files.ts";
import { systemClock } from "../../src/runtime.ts";
import { testAuthority, type TestAuthority } from "./test-certificates.ts";

let own: TestAuthority;
let server: { cert: string; key: string };
beforeAll(async () => {
  own = await testAuthority("own");
  server = await own.issue("apisix-admin", ["apisix-admin.internal"]);
});

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Answers with the name in the client's certificate, `-` where it has none, and the name that was asked for. */
async function adminApi(options: ServerOptions = {}): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const https = createServer({ ...server, ...options }, ({ socket }, response) => {
    const subject = socket instanceof TLSSocket ? socket.getPeerCertificate().subject : undefined;
    const asked = socket instanceof TLSSocket ? socket.servername : false;
    response.end(`${String(subject?.CN ?? "-")} ${String(asked)}`);
  });
  https.on("secureConnection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    https.listen(0, "127.0.0.1", resolve);
  });
  open.push(
    () =>
      new Promise((resolve) => {
        https.close(() => resolve());
        https.closeAllConnections();
      }),
  );
  return { url: `https://127.0.0.1:${(https.address() as AddressInfo).port}`, sockets };
}

function client(adminUrl: string, tls: () => TlsMaterial | undefined) {
  const transport = createHttpTransport({
    ...{ adminUrl, adminKey: () => "key", connections: 2, connectTimeout: 60_000, clock: systemClock, tls },
  });
  open.push(() => transport.close());
  return async (): Promise<string> => {
    const { body } = await transport.send({ method: "GET", path: "/apisix/admin/routes", timeout: 60_000 });
    let text = "";
    for await (const chunk of body) text += Buffer.from(chunk).toString("utf8");
    return text;
  };
}

const material = (over: Partial<TlsMaterial> = {}): TlsMaterial => ({
  ...{ ca: own.ca, cert: undefined, key: undefined, serverName: "apisix-admin.internal" },
  ...over,
});

async function withClient(authority: TestAuthority, name: string): Promise<TlsMaterial> {
  const { cert, key } = await authority.issue(name);
  return material({ cert, key: new Secret(key) });
}

describe("TLS to the Admin API", () => {
  it("trusts an authority of its own, and asks for and expects the given name", async () => {
    const { url } = await adminApi();
    expect(await client(url, () => material())()).toBe("- apisix-admin.internal");
  });

  it.each([
    ["whose authority it does not know", () => undefined],
    ["whose authority is another", async () => material({ ca: (await testAuthority("other")).ca })],
    ["that has another name", () => material({ serverName: "elsewhere.internal" })],
    ["that has not the name in the URL", () => material({ serverName: undefined })],
  ])("sends nothing to a server %s", async (_, given) => {
    const { url } = await adminApi();
    const tls = await given();
    await expect(client(url, () => tls)()).rejects.toMatchObject({
      code: "ADMIN_CONNECTION",
      cause: expect.any(NotSent) as unknown,
    });
  });

  it("shows its certificate to a server that asks for one, which refuses who has none", async () => {
    const { url } = await adminApi({ ca: own.ca, requestCert: true, rejectUnauthorized: true });
    const tls = await withClient(own, "translator");
    expect(await client(url, () => tls)()).toBe("translator apisix-admin.internal");
    await expect(client(url, () => material())()).rejects.toMatchObject({ code: "ADMIN_CONNECTION" });
  });

  it("uses what was replaced for the next request, on new connections", async () => {
    const { url, sockets } = await adminApi({ ca: own.ca, requestCert: true, rejectUnauthorized: true });
    let tls = await withClient(own, "before");
    const ask = client(url, () => tls);
    expect(await ask()).toBe("before apisix-admin.internal");
    const before = sockets.size;
    tls = await withClient(own, "after");
    expect(await ask()).toBe("after apisix-admin.internal");
    expect(sockets.size).toBe(before + 1);
  });
});
