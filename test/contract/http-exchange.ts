import { request as httpRequest, type Agent, type IncomingMessage } from "node:http";
import { Agent as TlsAgent, request as httpsRequest } from "node:https";
import type { Answer } from "./compare-answers.ts";

export interface HttpAsk {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Milliseconds, after which the answer is status 0. */
  readonly timeout: number;
  /** Of the kind that the URL needs. */
  readonly agent: Agent;
}

/** node:http and not fetch: the recordings hold methods and paths that fetch refuses or rewrites. */
export function exchangeOverHttp(url: string, ask: HttpAsk): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const begin = ask.agent instanceof TlsAgent ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    let gaveUp = false;
    const request = begin(
      { hostname, port, method: ask.method, path: ask.path, headers: ask.headers, agent: ask.agent },
      (response) => readAnswer(response).then(resolve, reject),
    );
    const timer = setTimeout(() => {
      gaveUp = true;
      request.destroy();
      resolve({ status: 0, headers: {}, body: "client timeout" });
    }, ask.timeout);
    request.on("error", (error) => {
      if (!gaveUp) reject(error);
    });
    request.on("close", () => clearTimeout(timer));
    request.end(ask.body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value);
  return { status: response.statusCode ?? 0, headers, body: parsed(Buffer.concat(chunks).toString("utf8")) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
