/**
 * The embedded APISIX Admin API: what demo, tests, benches and the simulation use in APISIX's place. It answers as a real
 * APISIX 3.18 did in the recorded exchanges (test/contract), which hold it to that.
 *
 * Over HTTP, on a free port of 127.0.0.1:
 *
 *     await using server = await startAdminServer();              // {clock, random, adminKey, port, …}: all optional
 *     server.url                                                  // "http://127.0.0.1:40123": for `gateway.adminUrls`
 *     server.adminKey                                             // for the X-API-KEY header
 *     server.admin                                                // the EmbeddedAdmin behind it:
 *
 * From outside, for tests:
 *
 *     admin.store.get("routes", id)?.value                        // what stands; also .list("upstreams"), .size("routes")
 *     admin.handle({ method: "PUT", path: "/apisix/admin/routes/x", body: {…} })   // a stranger's edit: at once, past faults
 *     admin.onExchange((exchange) => …)                           // journal: {method, resource, id, body, status, changes, at}
 *     const journal = new AdminJournal(10_000); admin.onExchange(journal.add); journal.writes
 *     admin.faults.setEtcd("down" | "hung" | "up")
 *     const mend = admin.faults.add({ methods: ["PUT"], resource: "routes", chance: 0.1, fault: { kind: "reset", when: "after" } })
 *     admin.faults.add({ fault: { kind: "delay", ms: 20, when: "before" } })       // every request
 *     admin.router.writes, admin.router.rebuilds                  // what route and service writes cost a gateway
 *
 * Without sockets, on a virtual clock: `memoryAdminTransport(new EmbeddedAdmin({ clock, random }), …)`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { htmlReply } from "./admin-reply.ts";
import { EmbeddedAdmin, type AdminOutcome, type EmbeddedAdminOptions } from "./embedded-admin.ts";
import { maxBody } from "./request-body.ts";
import type { SpoiledReply } from "./spoil-reply.ts";

export interface AdminServerOptions extends EmbeddedAdminOptions {
  /** 0, the default: any free port. */
  readonly port?: number;
}

export interface AdminServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly adminKey: string;
  readonly viewerKey: string;
  readonly admin: EmbeddedAdmin;
  /** Ends every connection. What a hung etcd holds stays unanswered. */
  close(): Promise<void>;
}

export async function startAdminServer(options: AdminServerOptions = {}): Promise<AdminServer> {
  const admin = new EmbeddedAdmin(options);
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (request, response) => {
    receive(admin, request, response);
  });
  server.on("clientError", refuseUnreadable);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = () => closeServer(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    adminKey: admin.keys.admin,
    viewerKey: admin.keys.viewer,
    admin,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function receive(admin: EmbeddedAdmin, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBody) chunks.push(chunk);
  });
  request.on("end", () => {
    const tooLong = bytes > maxBody;
    const { "x-api-key": key, cookie } = request.headers;
    const asked = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: { "x-api-key": typeof key === "string" ? key : key?.[0], cookie },
      body: tooLong || chunks.length === 0 ? "" : Buffer.concat(chunks).toString("utf8"),
      ...(tooLong ? { bodyBytes: bytes } : {}),
    };
    admin.submit(asked, (outcome) => send(request, response, outcome));
  });
}

function send(request: IncomingMessage, response: ServerResponse, outcome: AdminOutcome): void {
  // The client is gone; what it asked for was done all the same.
  if (response.destroyed) return;
  if (outcome === "reset") {
    request.socket.resetAndDestroy();
    return;
  }
  if (outcome.ending === "end") {
    const body = outcome.body.slice(0, outcome.kept);
    response.writeHead(outcome.status, { ...outcome.headers, "content-length": Buffer.byteLength(body) });
    response.end(body);
    return;
  }
  sendUnfinished(request, response, outcome);
}

const filler = " ".repeat(65_536);

function sendUnfinished(request: IncomingMessage, response: ServerResponse, reply: SpoiledReply): void {
  const kept = reply.body.slice(0, reply.kept);
  response.writeHead(reply.status, reply.headers);
  response.flushHeaders();
  const sent = () => {
    if (reply.ending === "reset") request.socket.resetAndDestroy();
    if (reply.ending === "endless") pour(response);
  };
  if (kept === "") sent();
  else response.write(kept, sent);
}

/** Writes as fast as the client reads, until it stops. */
function pour(response: ServerResponse): void {
  if (response.destroyed) return;
  response.write(filler, (error) => {
    if (!error) setImmediate(pour, response);
  });
}

/** Node refuses methods that it does not know before a handler sees them; nginx lets APISIX answer 404. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  const reply =
    error.code === "HPE_INVALID_METHOD" ? htmlReply(404, "Not Found") : htmlReply(400, "Bad Request");
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const headers = Object.entries(reply.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = `content-length: ${Buffer.byteLength(reply.body)}\r\nconnection: close\r\n`;
  const reason = reply.status === 404 ? "Not Found" : "Bad Request";
  socket.end(`HTTP/1.1 ${reply.status} ${reason}\r\n${headers.join("")}${length}\r\n${reply.body}`);
}
