import { Agent, request } from "undici";
import { TranslatorError } from "../../../src/errors.ts";
import { EmbeddedCluster } from "../../../src/sim/kubernetes/embedded-cluster.ts";
import { startKubeServer } from "../../../src/sim/kubernetes/kube-server.ts";
import { memoryKube } from "../../../src/sim/kubernetes/memory-kube.ts";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import type { KubeResponse, KubeTransport } from "../../../src/watch/transport.ts";
import { HybridClock } from "./hybrid-clock.ts";

/** One embedded cluster behind one transport; the same tests run over both. */
export interface Harness {
  readonly cluster: EmbeddedCluster;
  readonly clock: HybridClock;
  transport(token?: string): KubeTransport;
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface HarnessOptions {
  readonly historyLength?: number;
}

export const harnesses = [
  ["HTTPS", httpsHarness],
  ["memory", memoryHarness],
  ["memory in pieces", (options: HarnessOptions) => memoryHarness(options, seededRandom())],
] as const;

function seededRandom(): () => number {
  let state = 20_260_301;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

async function httpsHarness(options: HarnessOptions): Promise<Harness> {
  const clock = new HybridClock();
  const server = await startKubeServer({ name: "east-1", clock, random: () => 0.5, ...options });
  const agent = new Agent({ connect: { ca: server.ca } });
  return {
    cluster: server.cluster,
    clock,
    transport: (token = "sim-token") => httpsTransport(server.url, agent, token),
    stop: () => server.stop(),
    start: () => server.start(),
    async close() {
      await agent.destroy();
      await server.close();
    },
  };
}

async function memoryHarness(options: HarnessOptions, chop?: () => number): Promise<Harness> {
  const clock = new HybridClock();
  const cluster = new EmbeddedCluster({ name: "east-1", clock, random: () => 0.5, ...options });
  const kube = memoryKube(cluster, chop === undefined ? {} : { chop });
  return {
    cluster,
    clock,
    transport: (token) => kube.transport(token),
    stop: async () => kube.stop(),
    start: async () => kube.start(),
    close: async () => kube.stop(),
  };
}

function httpsTransport(url: string, agent: Agent, token: string): KubeTransport {
  return async ({ method = "GET", path, accept, body, contentType = "application/json", signal }) => {
    const type = body === undefined ? {} : { "content-type": contentType };
    const headers = { accept, authorization: `Bearer ${token}`, ...type };
    try {
      const sent = { dispatcher: agent, method, headers, body: body ?? null, signal };
      const options = { ...sent, headersTimeout: 0, bodyTimeout: 0 };
      const answer = await request(url + path, options);
      const contentType = String(answer.headers["content-type"] ?? "").toLowerCase();
      const retry = answer.headers["retry-after"];
      const retryAfter = retry === undefined ? {} : { retryAfter: Number(retry) * 1000 };
      return { status: answer.statusCode, contentType, ...retryAfter, body: mapped(answer.body, signal) };
    } catch (error) {
      throw mapError(error, signal);
    }
  };
}

async function* mapped(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw mapError(error, signal);
  }
}

function mapError(cause: unknown, signal: AbortSignal): TranslatorError {
  return new TranslatorError(signal.aborted ? "ABORTED" : "KUBE_CONNECTION", "request failed", { cause });
}

/** Parsed JSON of unknown shape: steps into it end in undefined, assertions look at the values. */
export interface Json {
  readonly [key: string]: Json | undefined;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter?: number;
  readonly text: string;
}

/** Sends a GET and reads the whole body. */
export async function get(harness: Harness, path: string, token?: string): Promise<Answer> {
  const response = await send(harness, path, { token });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { ...response, text: Buffer.concat(chunks).toString("utf8") };
}

/** Sends a GET and reads its body as JSON. */
export async function getJson(harness: Harness, path: string): Promise<Json> {
  return JSON.parse((await get(harness, path)).text) as Json;
}

export function send(
  harness: Harness,
  path: string,
  options: { token?: string | undefined; signal?: AbortSignal } = {},
): Promise<KubeResponse> {
  const signal = options.signal ?? new AbortController().signal;
  return harness.transport(options.token)({ path, accept: "application/json", signal });
}

/** The lines of an open watch, parsed, one `next()` at a time. */
export class WatchReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest = "";

  constructor(response: KubeResponse) {
    this.#chunks = response.body[Symbol.asyncIterator]();
  }

  /** @returns undefined at a clean end; bytes that were no whole line stay in `rest`. */
  async next(): Promise<Json | undefined> {
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end >= 0) {
        const line = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 1);
        return JSON.parse(line) as Json;
      }
      const { value, done } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#rest += Buffer.from(value).toString("utf8");
    }
  }

  get rest(): string {
    return this.#rest;
  }

  /** The next `count` events as `TYPE name@resourceVersion`. */
  async take(count: number): Promise<string[]> {
    const seen: string[] = [];
    while (seen.length < count) {
      const event = await this.next();
      if (event === undefined) break;
      const { name, resourceVersion } = event["object"]?.["metadata"] ?? {};
      seen.push(`${String(event["type"])} ${String(name ?? "-")}@${String(resourceVersion)}`);
    }
    return seen;
  }
}

/** Opens a watch and waits until the server counts it as open. */
export async function openWatch(
  harness: Harness,
  query: string,
  path = "/api/v1/pods",
): Promise<WatchReader> {
  const open = harness.cluster.traffic.openWatches().length;
  const response = await send(harness, `${path}?watch=true&${query}`);
  await harness.cluster.traffic.until(() => harness.cluster.traffic.openWatches().length > open);
  return new WatchReader(response);
}

/** Creates `count` Pods `web-000`, `web-001`, … in the namespace `shop`, labelled `app=web`. */
export function createPods(harness: Harness, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const name = `web-${String(index).padStart(3, "0")}`;
    harness.cluster.store.create("pods", pod({ namespace: "shop", name, labels: { app: "web" } }));
  }
}
