/**
 * Sends recorded exchanges to an Admin API, embedded or real, and says where its answers differ.
 *
 * Assumption: the API's store is empty, or there is a `mark`; then what others have there is neither touched nor compared.
 */
import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { isJsonObject } from "../../src/sim/admin/json-schema.ts";
import { compareAnswers, type Answer, type Difference } from "./compare-answers.ts";
import { harm, keyOf } from "./harmless.ts";
import { exchangeOverHttp } from "./http-exchange.ts";
import type { Listener, RecordedExchange } from "./recorded-exchanges.ts";

export interface ReplayTarget {
  /** Base URL of each port, as `http://127.0.0.1:9180`; exchanges with a port that is not given are skipped. */
  readonly urls: Readonly<Partial<Record<Listener, string>>>;
  readonly adminKey: string;
  /** Absent: exchanges with it are skipped. */
  readonly viewerKey?: string;
  /** Lets time pass for the server: waits, or moves its clock. */
  readonly elapse: (ms: number) => Promise<void>;
  /** Called before each exchange: to break and mend etcd. */
  readonly before?: (exchange: RecordedExchange) => void | Promise<void>;
  /**
   * The API serves others, and the exchanges carry this mark (`markedNames`). Skipped is what could touch others and what builds upon
   * that; lists are compared by what this replay wrote, pages of them only while nobody else has anything there.
   */
  readonly mark?: string;
}

export interface ReplayedExchange {
  readonly exchange: RecordedExchange;
  /** `undefined`: skipped. */
  readonly answer: Answer | undefined;
  readonly skipped?: string;
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
  readonly #agents = { "http:": new Agent({ keepAlive: true }), "https:": new TlsAgent({ keepAlive: true }) };
  /** Ids that the server made up, recorded → ours. */
  readonly #madeUp = new Map<string, string>();
  readonly #written = new Set<string>();
  /** What was to be written but was skipped. */
  readonly #missing = new Set<string>();

  constructor(target: ReplayTarget) {
    this.#target = target;
  }

  async replay(exchange: RecordedExchange): Promise<ReplayedExchange> {
    await this.#target.before?.(exchange);
    const url = this.#target.urls[exchange.listener];
    const skipped =
      url === undefined ? `no URL of the ${exchange.listener} port` : await this.#skips(url, exchange);
    if (url === undefined || skipped !== undefined)
      return { exchange, answer: undefined, differences: [], ...(skipped === undefined ? {} : { skipped }) };
    await this.#clear(url, exchange);
    const answer = await this.#send(url, exchange);
    this.#learn(exchange, answer);
    const ttl = /[?&]ttl=(\d+)/.exec(exchange.request.path)?.[1];
    if (ttl !== undefined && answer.status < 300) await this.#target.elapse((Number(ttl) + 2) * 1000);
    return { exchange, answer, differences: compareAnswers(...this.#comparable(exchange.response, answer)) };
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /** Why an exchange is not sent. */
  async #skips(url: string, exchange: RecordedExchange): Promise<string | undefined> {
    const { mark, viewerKey } = this.#target;
    const { request, response } = exchange;
    if (request.key === "viewer" && viewerKey === undefined) return "no viewer key";
    if (mark === undefined) return undefined;
    const key = keyOf(exchange);
    const reason = harm(exchange, mark);
    if (reason !== undefined && request.method === "PUT" && response.status < 300)
      this.#missing.add(keyIn(response.body) ?? key ?? "");
    if (reason !== undefined) return reason;
    if (key !== undefined && this.#missing.has(key)) {
      // A PUT builds upon nothing; only a recorded 200 tells that something stood there.
      if (request.method !== "PUT" || response.status === 200) return "builds upon what was skipped";
    }
    if (/[?&]page(_size)?=/.test(request.path) && (await this.#othersHave(url, request.path)))
      return "a page of what others have too";
    return undefined;
  }

  async #othersHave(url: string, path: string): Promise<boolean> {
    const [list = ""] = path.split("?");
    const { body } = await this.#ask(url, "GET", list);
    return itemsOf(body).some((item) => !this.#written.has(keyIn(item) ?? ""));
  }

  /**
   * The recorder deleted some objects between two exchanges without writing it down: where a PUT was answered with 201 although
   * the object had been written before, it must have been gone.
   */
  async #clear(url: string, { request, response }: RecordedExchange): Promise<void> {
    const key = keyIn(response.body);
    if (request.method !== "PUT" || response.status !== 201 || key === undefined || !this.#written.has(key))
      return;
    await this.#ask(url, "DELETE", key.replace("/apisix/", "/apisix/admin/"));
  }

  #ask(url: string, method: string, path: string): Promise<Answer> {
    const headers = { "x-api-key": this.#target.adminKey };
    const agent = this.#agentOf(url);
    return exchangeOverHttp(url, { method, path, headers, body: undefined, timeout: patience, agent });
  }

  #agentOf(url: string): Agent {
    return url.startsWith("https:") ? this.#agents["https:"] : this.#agents["http:"];
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
      agent: this.#agentOf(url),
    });
  }

  #learn({ request, response }: RecordedExchange, { body }: Answer): void {
    const ours = keyIn(body);
    if (ours === undefined) return;
    this.#written.add(ours);
    this.#missing.delete(ours);
    const recorded = keyIn(response.body);
    if (request.method !== "POST" || recorded === undefined) return;
    this.#madeUp.set(recorded.split("/").at(-1) ?? "", ours.split("/").at(-1) ?? "");
  }

  /** What was recorded and what was answered, without what others have and what was skipped. */
  #comparable(expected: Answer, actual: Answer): [expected: Answer, actual: Answer] {
    if (this.#target.mark === undefined) return [expected, actual];
    const { body } = actual;
    if (!isJsonObject(body) || !isJsonObject(expected.body) || !Array.isArray(body["list"]))
      return [expected, actual];
    const list = itemsOf(body).filter((item) => this.#written.has(keyIn(item) ?? ""));
    const recorded = itemsOf(expected.body).filter((item) => !this.#missing.has(keyIn(item) ?? ""));
    const { total } = expected.body;
    return [
      { ...expected, body: { ...expected.body, list: recorded } },
      { ...actual, body: { ...body, list, total } },
    ];
  }
}

function itemsOf(body: unknown): readonly unknown[] {
  return isJsonObject(body) && Array.isArray(body["list"]) ? body["list"] : [];
}

function keyIn(item: unknown): string | undefined {
  return isJsonObject(item) && typeof item["key"] === "string" ? item["key"] : undefined;
}
