import { createServer, type RequestListener } from "node:http";
import { onTestFinished } from "vitest";
import { runCommand } from "../../src/commands/cli.ts";
import { recordedIo } from "./recorded-io.ts";

/** What answers so, until the end of the test; resolves to its URL. */
export async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
}

export const json =
  (status: number, body: unknown): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };

/** What `explain WORDS` does. */
export async function explain(
  words: readonly string[],
  signal?: AbortSignal,
): Promise<{ code: number; out: string; err: string }> {
  const { io, out, err } = recordedIo(signal === undefined ? {} : { signal });
  return { code: await runCommand(["explain", ...words], "1.2.3", io), out: out(), err: err() };
}

/** One that an instance tells of. */
export const declaration = {
  cluster: "east-1",
  kind: "pod",
  namespace: "shop",
  name: "web-1",
  route: "web",
  state: "Conflict",
  reason: "shop.example.com/* is held by east-2/shop/pod/web-9",
  hosts: ["shop.example.com"],
  uris: ["/*", "/api/*"],
  id: "t-0123",
  nodes: ["10.0.0.1:8080"],
  lastWrite: { at: "2026-01-02T03:04:05Z", resource: "route", status: 201 },
};
