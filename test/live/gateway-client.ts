import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Echo } from "./echo-server.ts";

export interface GatewayAnswer {
  readonly status: number;
  /** Where an echo server answered. */
  readonly echo: Echo | undefined;
}

/** A request as a client of the gateway sends it: with a Host header, on a connection of its own. */
export function through(
  proxyUrl: string,
  ask: { readonly host: string; readonly path?: string; readonly method?: string },
): Promise<GatewayAnswer> {
  const { host, path = "/", method = "GET" } = ask;
  const url = new URL(path, proxyUrl);
  const begin = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = begin(url, { method, agent: false, headers: { host } }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        const echo = response.statusCode === 200 ? echoIn(Buffer.concat(pieces).toString()) : undefined;
        resolve({ status: response.statusCode ?? 0, echo });
      });
    });
    request.on("error", reject);
    request.end();
  });
}

function echoIn(text: string): Echo | undefined {
  try {
    const value = JSON.parse(text) as Partial<Echo>;
    return value.who === undefined ? undefined : (value as Echo);
  } catch {
    return undefined;
  }
}
