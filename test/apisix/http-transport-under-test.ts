import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { createHttpTransport, type HttpTransport } from "../../src/apisix/http-transport.ts";
import type { AdminRequest, AdminResponse } from "../../src/apisix/transport.ts";
import { systemClock, type Clock } from "../../src/runtime.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server until the end of the test, and the connections that it has had. */
export async function listen(handler: Handler): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer({ keepAlive: true }, handler);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

/** A transport to it, closed at the end of the test. */
export function transportTo(
  adminUrl: string,
  options: { connections?: number; clock?: Clock } = {},
): HttpTransport {
  const { connections = 4, clock = systemClock } = options;
  const transport = createHttpTransport({
    adminUrl,
    adminKey: () => "s3cret/key",
    connections,
    connectTimeout: 60_000,
    clock,
  });
  onTestFinished(() => transport.close());
  return transport;
}

export const get: AdminRequest = { method: "GET", path: "/apisix/admin/routes", timeout: 60_000 };

export async function textOf(response: AdminResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await turn();
}
