import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What an echo server saw of a request. */
export interface Echo {
  readonly who: string;
  readonly method: string;
  readonly path: string;
  readonly host: string;
}

/** Stands behind a Pod's address: answers who it is and what it was asked. */
export interface EchoServer extends AsyncDisposable {
  readonly port: number;
}

export async function startEcho(who: string, host: string): Promise<EchoServer> {
  const server = createServer((request, response) => {
    const { method = "", url: path = "", headers } = request;
    const echo: Echo = { who, method, path, host: headers.host ?? "" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(echo));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
