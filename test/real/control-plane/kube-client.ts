import { Agent } from "undici";

interface KubeMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
}

/** Any object, list or `Status` of the API; a test names the fields that it reads. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: KubeMetadata;
  readonly items?: readonly KubeObject[];
  readonly [field: string]: unknown;
}

export interface KubeAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: KubeObject;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

const mergePatch = "application/merge-patch+json";

/** Enough for hundreds of writes in flight, few enough for two cores. */
const connections = 16;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isKubeObject(value: unknown): value is KubeObject {
  return isObject(value) && isObject(value["metadata"]);
}

function parseObject(text: string): KubeObject {
  const value: unknown = JSON.parse(text);
  if (!isKubeObject(value)) throw new Error(`not a Kubernetes object: ${text.slice(0, 200)}`);
  return value;
}

function parseEvent(line: string): WatchEvent {
  const value: unknown = JSON.parse(line);
  if (!isObject(value) || typeof value["type"] !== "string" || !isKubeObject(value["object"])) {
    throw new Error(`not a watch event: ${line.slice(0, 200)}`);
  }
  return { type: value["type"], object: value["object"] };
}

/**
 * What a test does to a cluster as one user of it: JSON over HTTP/1.1, independent of the product's own transport.
 * The token is sent and never printed.
 */
export class KubeClient {
  readonly #url: string;
  readonly #token: string;
  readonly #agent: Agent;

  /** `authority` is PEM. */
  constructor(url: string, authority: string, token: string) {
    this.#url = url;
    this.#token = token;
    this.#agent = new Agent({ connect: { ca: authority }, allowH2: false, connections });
  }

  /**
   * `path` holds the query too; `body` is sent as JSON of the type `contentType`.
   *
   * @throws undici's errors when no answer comes; an error *status* is an answer.
   */
  async request(
    method: Method,
    path: string,
    body?: unknown,
    contentType = "application/json",
    signal?: AbortSignal,
  ): Promise<KubeAnswer> {
    const answer = await this.#send(method, path, body, contentType, signal);
    const type = answer.headers["content-type"];
    return {
      status: answer.statusCode,
      contentType: typeof type === "string" ? type : "",
      text: await answer.body.text(),
    };
  }

  /** The object that is answered. @throws Error at any status but 2xx, with the server's words. */
  async object(method: Method, path: string, body?: unknown, contentType?: string): Promise<KubeObject> {
    const answer = await this.request(method, path, body, contentType);
    if (answer.status < 200 || answer.status > 299) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
    }
    return parseObject(answer.text);
  }

  get(path: string): Promise<KubeObject> {
    return this.object("GET", path);
  }

  create(path: string, object: object): Promise<KubeObject> {
    return this.object("POST", path, object);
  }

  /** A merge patch: fields that are `null` are removed. */
  patch(path: string, changes: object): Promise<KubeObject> {
    return this.object("PATCH", path, changes, mergePatch);
  }

  /** `gracePeriodSeconds: 0` removes a Pod at once; without a kubelet nobody else would. */
  delete(path: string, options: { readonly gracePeriodSeconds?: number } = {}): Promise<KubeObject> {
    return this.object("DELETE", path, { kind: "DeleteOptions", apiVersion: "v1", ...options });
  }

  /** Items of a list. */
  async list(path: string): Promise<readonly KubeObject[]> {
    return (await this.get(path)).items ?? [];
  }

  /** Events of `path` (with `watch=1` in its query) until the server or `signal` ends the stream. */
  async *watch(path: string, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    const answer = await this.#send("GET", path, undefined, "", signal);
    if (answer.statusCode !== 200) {
      throw new Error(`GET ${path} answered ${answer.statusCode}: ${await answer.body.text()}`);
    }
    const decoder = new TextDecoder();
    let rest = "";
    for await (const piece of answer.body) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield parseEvent(line);
    }
  }

  /** Ends its connections, watches too. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #send(method: Method, path: string, body: unknown, contentType: string, signal?: AbortSignal) {
    return this.#agent.request({
      origin: this.#url,
      path,
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": contentType }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      // A watch may say nothing for long.
      bodyTimeout: 0,
      ...(signal === undefined ? {} : { signal }),
    });
  }
}
