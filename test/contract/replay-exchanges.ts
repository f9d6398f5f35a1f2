/**
 * Sends recorded exchanges to an Admin API, embedded or real, and says where its answers differ.
 *
 * Assumption: the API's store is empty, or `onlyOurs` is set; then lists are compared as far as this replay wrote them.
 */
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { isJsonObject } from "../../src/sim/admin/json-schema.ts";
import { compareAnswers, type Answer, type Difference } from "./compare-answers.ts";
import type { Listener, RecordedExchange } from "./recorded-exchanges.ts";

export interface ReplayTarget {
  /** Base URL of each port, as `http://127.0.0.1:9180`; exchanges with a port that is not given are skipped. */
  readonly urls: Readonly<Partial<Record<Listener, string>>>;
  readonly adminKey: string;
  readonly viewerKey: string;
  /** Lets time pass for the server: waits, or moves its clock. */
  readonly elapse: (ms: number) => Promise<void>;
  /** Called before each exchange: to break and mend etcd. */
  readonly before?: (exchange: RecordedExchange) => void | Promise<void>;
  /** The store held other objects before: they are left out of lists, and totals are not compared. */
  readonly onlyOurs?: boolean;
}

export interface ReplayedExchange {
  readonly exchange: RecordedExchange;
  /** `undefined`: skipped. */
  readonly answer: Answer | undefined;
  readonly differences: readonly Difference[];
}

/** Milliseconds to wait where the recording says that the client gave up; for all else there is `patience`. */
const impatience = 150;
const patience = 60_000;

/** One after the other, in order. */
export async function replayInOrder(
  exchanges: readonly RecordedExchange[],
  target: ReplayTarget,
): Promise<readonly ReplayedExchange[]> {
  const session = new ReplaySession(target);
  const replayed: ReplayedExchange[] = [];
  try {
    for (const exchange of exchanges) replayed.push(await session.replay(exchange));
  } finally {
    session.close();
  }
  return replayed;
}

/** All at once, each on its own connection. @returns The statuses, in the order of `exchanges`. */
export async function replayAtOnce(
  exchanges: readonly RecordedExchange[],
  target: ReplayTarget,
): Promise<readonly ReplayedExchange[]> {
  const session = new ReplaySession(target);
  try {
    return await Promise.all(exchanges.map((exchange) => session.replay(exchange)));
  } finally {
    session.close();
  }
}

class ReplaySession {
  readonly #target: ReplayTarget;
  readonly #agent = new Agent({ keepAlive: true });
  /** Ids that the server made up, recorded → ours. */
  readonly #madeUp = new Map<string, string>();
  readonly #written = new Set<string>();

  constructor(target: ReplayTarget) {
    this.#target = target;
  }

  async replay(exchange: RecordedExchange): Promise<ReplayedExchange> {
    await this.#target.before?.(exchange);
    const url = this.#target.urls[exchange.listener];
    if (url === undefined) return { exchange, answer: undefined, differences: [] };
    await this.#clear(url, exchange);
    const answer = await this.#send(url, exchange);
    this.#learn(exchange, answer);
    const ttl = /[?&]ttl=(\d+)/.exec(exchange.request.path)?.[1];
    if (ttl !== undefined && answer.status < 300) await this.#target.elapse((Number(ttl) + 2) * 1000);
    return { exchange, answer, differences: compareAnswers(exchange.response, this.#ours(answer, exchange)) };
  }

  close(): void {
    this.#agent.destroy();
  }

  /**
   * The recorder deleted some objects between two exchanges without writing it down: where a PUT was answered with 201 although
   * the object had been written before, it must have been gone.
   */
  async #clear(url: string, { request, response }: RecordedExchange): Promise<void> {
    const key = isJsonObject(response.body) ? response.body["key"] : undefined;
    if (
      request.method !== "PUT" ||
      response.status !== 201 ||
      typeof key !== "string" ||
      !this.#written.has(key)
    )
      return;
    await exchangeOverHttp(url, {
      method: "DELETE",
      path: key.replace("/apisix/", "/apisix/admin/"),
      headers: { "x-api-key": this.#target.adminKey },
      body: undefined,
      timeout: patience,
      agent: this.#agent,
    });
  }

  #send(url: string, { request, response }: RecordedExchange): Promise<Answer> {
    const body =
      request.body === undefined
        ? undefined
        : "text" in request.body
          ? request.body.text
          : JSON.stringify(request.body.json);
    const fill = (text: string) => text.replaceAll("<ADMIN_KEY>", this.#target.adminKey);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers)) headers[name] = fill(value);
    const { adminKey, viewerKey } = this.#target;
    const key = { admin: adminKey, viewer: viewerKey, wrong: "not-the-key", none: undefined }[request.key];
    if (key !== undefined) headers["x-api-key"] = key;
    if (body !== undefined && !("transfer-encoding" in headers)) {
      headers["content-length"] = String(Buffer.byteLength(body));
    }
    let path = fill(request.path);
    for (const [recorded, ours] of this.#madeUp) path = path.replace(recorded, ours);
    const timeout = response.status === 0 ? impatience : patience;
    return exchangeOverHttp(url, {
      method: request.method,
      path,
      headers,
      body,
      timeout,
      agent: this.#agent,
    });
  }

  #learn({ request, response }: RecordedExchange, { body }: Answer): void {
    if (!isJsonObject(body) || typeof body["key"] !== "string") return;
    const ours = body["key"];
    this.#written.add(ours);
    const recorded = isJsonObject(response.body) ? response.body["key"] : undefined;
    if (request.method !== "POST" || typeof recorded !== "string") return;
    this.#madeUp.set(recorded.split("/").at(-1) ?? "", ours.split("/").at(-1) ?? "");
  }

  #ours(answer: Answer, { response }: RecordedExchange): Answer {
    const { body } = answer;
    if (this.#target.onlyOurs !== true || !isJsonObject(body) || !Array.isArray(body["list"])) return answer;
    const list = body["list"].filter(
      (item: unknown) => isJsonObject(item) && this.#written.has(String(item["key"])),
    );
    const total = isJsonObject(response.body) ? response.body["total"] : undefined;
    return { ...answer, body: { ...body, list, total } };
  }
}

interface HttpAsk {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly timeout: number;
  readonly agent: Agent;
}

/** node:http and not fetch: the recordings hold methods and paths that fetch refuses or rewrites. */
function exchangeOverHttp(url: string, ask: HttpAsk): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let gaveUp = false;
    const request = httpRequest(
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
