import { TranslatorError } from "../errors.ts";
import { JsonListError } from "../json/json-list-error.ts";
import { ListSplitter } from "../json/list-splitter.ts";
import type { Clock } from "../runtime.ts";
import { readAnswer } from "./answer.ts";
import { isJsonObject } from "./json-object.ts";
import { misshapenField } from "./object-shape.ts";
import { idOfKey, listPath, type Collection } from "./resource-path.ts";
import { Slices } from "./slices.ts";
import type { AdminResponse, AdminTransport } from "./transport.ts";
import type { Json, JsonObject } from "./types.ts";

export interface ListOptions {
  readonly transport: AdminTransport;
  /** Milliseconds. */
  readonly timeout: number;
  readonly maxListBytes: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

export interface ListItem {
  /** As the key in etcd says. */
  readonly id: string;
  readonly value: JsonObject;
  readonly createdIndex: number;
}

/** As `maxObjectBytes` of single objects. */
export const maxItemBytes = 8 << 20;
export const maxEnvelopeBytes = 64 << 10;
/** Work between two looks at the clock: what this many bytes hold is digested in a millisecond, in ten by code that is new. */
const pieceBytes = 8 << 10;

/**
 * Streams one unpaged list (pages would each read everything again, FACTS-APISIX.md) and hands on each item. The list is
 * good only if this returns: it may turn out to be cut off or malformed after any number of items.
 *
 * @returns the `Server` header.
 * @throws TranslatorError `ADMIN_CONNECTION`, `ABORTED`; `ADMIN_STATUS` where the Admin API answered with an error;
 * `ADMIN_PROTOCOL` where what was sent is not a complete and well-formed list.
 */
export async function readList(
  options: ListOptions,
  collection: Collection,
  take: (item: ListItem) => void,
): Promise<string> {
  const { transport, timeout, signal } = options;
  const path = listPath(collection);
  const response = await transport({
    method: "GET",
    path,
    timeout,
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    if (response.status !== 200) throw await statusError(response, collection);
    await split(options, collection, response.body, take);
  } catch (error) {
    const told = asTold(collection, error);
    if (told instanceof TranslatorError && isOfUrl(error)) response.judged?.(told.message);
    throw told;
  }
  response.judged?.();
  return response.server;
}

/** One stored object cannot be read. */
class Misshapen extends Error {}

function asTold(collection: Collection, error: unknown): unknown {
  if (error instanceof Misshapen) return protocolError(collection, error.message);
  if (!(error instanceof JsonListError)) return error;
  return protocolError(collection, `${error.message} (an Admin API of version v3 is expected)`, error);
}

/** Whether another URL may do better: not where the Admin API minds the request, nor where it is about what is stored. */
function isOfUrl(error: unknown): boolean {
  if (error instanceof JsonListError) return error.fault !== "limit";
  if (!(error instanceof TranslatorError)) return false;
  const { code, status } = error;
  if (code === "ADMIN_STATUS") return status !== 400 && status !== 429;
  return code === "ADMIN_CONNECTION" || code === "ADMIN_PROTOCOL";
}

async function split(
  { clock, maxListBytes }: ListOptions,
  collection: Collection,
  body: AsyncIterable<Uint8Array>,
  take: (item: ListItem) => void,
): Promise<void> {
  const splitter = new ListSplitter({
    field: "list",
    maxItemBytes,
    maxBytes: maxListBytes,
    maxEnvelopeBytes,
    emptyObjectIsList: true,
  });
  let count = 0;
  const slices = new Slices(clock);
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      for (const item of splitter.push(chunk.subarray(at, at + pieceBytes))) {
        count++;
        take(readItem(collection, item as Json));
      }
      if (slices.isOver) await slices.next();
    }
  }
  const { total } = splitter.end();
  if (total !== count)
    throw new JsonListError("shape", `${count} items, but the total is ${JSON.stringify(total)}`);
}

function readItem(collection: Collection, item: Json): ListItem {
  if (!isJsonObject(item)) throw new JsonListError("shape", "an item is not an object");
  const { key, value, createdIndex } = item;
  const id = idOfKey(key, collection);
  if (id === undefined) throw new JsonListError("shape", "an item's key is not one of this list");
  if (!isJsonObject(value)) throw new JsonListError("shape", `the value of ${id} is not an object`);
  if (typeof createdIndex !== "number")
    throw new JsonListError("shape", `createdIndex of ${id} is not a number`);
  const field = misshapenField(collection, value);
  if (field !== undefined) throw new Misshapen(`the field ${field} of ${id} has a wrong type`);
  return { id, value, createdIndex };
}

async function statusError(response: AdminResponse, collection: Collection): Promise<TranslatorError> {
  const { status } = response;
  const { json } = await readAnswer(response);
  if (status === 401 || status === 403) {
    return new TranslatorError("ADMIN_STATUS", `APISIX refuses the admin key (${status})`, { status });
  }
  const message = json?.["error_msg"];
  if (typeof message !== "string" || status < 400 || status === 404) {
    return protocolError(collection, `answered ${status}, not as the Admin API does`);
  }
  const text = `list of ${collection}: answered ${status}: ${message.slice(0, 512)}`;
  return new TranslatorError("ADMIN_STATUS", text, { status });
}

function protocolError(collection: Collection, what: string, cause?: unknown): TranslatorError {
  return new TranslatorError(
    "ADMIN_PROTOCOL",
    `list of ${collection}: ${what}`,
    cause === undefined ? {} : { cause },
  );
}
