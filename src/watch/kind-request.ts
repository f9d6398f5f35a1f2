import { TranslatorError } from "../errors.ts";
import type { Clock, Random } from "../runtime.ts";
import { responseError, unechoedError } from "./api-status.ts";
import { acceptOf, decoderFor, type Decoder, type Frame, type Item, type PageEnd } from "./decoder.ts";
import type { KindRow } from "./kinds.ts";
import { timedRequest, type TimeLimits } from "./timed-request.ts";
import type { KubeResponse, KubeTransport } from "./transport.ts";
import { paced, type Turns } from "./turns.ts";

const pageSize = 500;
const answerWithin = 30_000;
const pageLimits: TimeLimits = { answer: answerWithin, silence: 30_000, whole: 180_000 };
/** Two of these, 20 s apart, must fail within 60 s. */
const probeLimits: TimeLimits = { answer: 10_000, silence: 10_000, whole: 10_000 };
/** A watch asks the server to end it after a random 5 to 10 minutes, so that watches do not all end at once. */
const watchSeconds = { least: 300, most: 600 };
/** What the server's own timeout may be late by. */
const watchSlack = 5_000;

export interface RequestOptions {
  readonly row: KindRow;
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly turns: Turns;
  /** Called for each sign of life of the server. */
  readonly heard: () => void;
}

/** The requests of one kind in one cluster. Each rejects with a `TranslatorError` and nothing else but bugs. */
export class KindRequest {
  readonly #options: RequestOptions;

  constructor(options: RequestOptions) {
    this.#options = options;
  }

  /** Reads one page of a consistent list; items come before the page is known to be good. */
  async page(
    token: string,
    list: number,
    signal: AbortSignal,
    take: (item: Item, at: number) => void,
  ): Promise<PageEnd> {
    const { row, turns, clock, heard } = this.#options;
    const query = { ...selected(row), limit: String(pageSize), ...(token === "" ? {} : { continue: token }) };
    const { response, decoder } = await this.#open(query, pageLimits, signal);
    const reader = decoder.page(row, list);
    for await (const { bytes, at } of paced(response.body, turns, clock)) {
      heard();
      for (const item of reader.push(bytes)) take(item, at);
    }
    return reader.end();
  }

  /**
   * Opens a watch and hands over its frames, one after the other, until the server ends it.
   *
   * @param from a resourceVersion, or `"list"` for a WatchList. @param list number of the list that it goes on from.
   */
  async watch(
    from: { readonly resourceVersion: string } | "list",
    list: number,
    signal: AbortSignal,
    on: { opened(): void; frame(frame: Frame, at: number): Promise<void> | undefined },
  ): Promise<void> {
    const { row, turns, clock, random, heard } = this.#options;
    const span = watchSeconds.most - watchSeconds.least + 1;
    const seconds = watchSeconds.least + Math.floor(random() * span);
    const query = { ...selected(row), ...watchQuery(from), timeoutSeconds: String(seconds) };
    const limits: TimeLimits = { answer: answerWithin, silence: seconds * 1000 + watchSlack };
    const { response, decoder } = await this.#open(query, limits, signal);
    on.opened();
    const reader = decoder.frames(row, list);
    for await (const { bytes, at } of paced(response.body, turns, clock)) {
      heard();
      for (const frame of reader.push(bytes)) {
        const told =
          frame.type === "error" ? { ...frame, error: unechoedError(frame.error, response) } : frame;
        const pause = on.frame(told, at);
        if (pause !== undefined) await pause;
      }
    }
    reader.end();
  }

  /** Where the store is now: a list of one, without selector, because the server would search all objects for a match. */
  async probe(signal: AbortSignal): Promise<string> {
    const { row, turns, clock } = this.#options;
    const { response, decoder } = await this.#open({ limit: "1" }, probeLimits, signal);
    const reader = decoder.page(row, 0);
    for await (const { bytes } of paced(response.body, turns, clock)) for (const _item of reader.push(bytes));
    return reader.end().resourceVersion;
  }

  async #open(
    query: Readonly<Record<string, string>>,
    limits: TimeLimits,
    signal: AbortSignal,
  ): Promise<{ response: KubeResponse; decoder: Decoder }> {
    const { row, transport, clock, turns, heard } = this.#options;
    const turn = turns.request();
    if (turn !== undefined) await turn;
    const path = `${row.path}?${new URLSearchParams(query).toString()}`;
    const accept = acceptOf(row, query["watch"] === undefined ? "list" : "watch");
    const response = await timedRequest(transport, clock, { path, accept, signal, limits });
    heard();
    if (response.status !== 200) throw await responseError(response);
    const decoder = decoderFor(response.contentType, row);
    if (decoder !== undefined) return { response, decoder };
    await discard(response);
    const type = response.contentType === "" ? "no content type" : response.contentType.slice(0, 100);
    throw new TranslatorError("KUBE_PROTOCOL", `the server answered ${row.kind} with ${type}`);
  }
}

function selected(row: KindRow): Readonly<Record<string, string>> {
  return row.selector === "" ? {} : { labelSelector: row.selector };
}

function watchQuery(from: { readonly resourceVersion: string } | "list"): Readonly<Record<string, string>> {
  const watch = { watch: "true", allowWatchBookmarks: "true" };
  return from === "list"
    ? { ...watch, sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" }
    : { ...watch, resourceVersion: from.resourceVersion };
}

/** Leaves a body that nobody will read: ends its request. */
async function discard(response: KubeResponse): Promise<void> {
  await response.body[Symbol.asyncIterator]().return?.();
}
