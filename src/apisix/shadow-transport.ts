import { JsonListError } from "../json/json-list-error.ts";
import { ListSplitter } from "../json/list-splitter.ts";
import { isJsonObject } from "./json-object.ts";
import { maxEnvelopeBytes, maxItemBytes } from "./read-list.ts";
import type { Collection } from "./resource-path.ts";
import { ShadowState, type ListOverlay } from "./shadow-state.ts";
import type { AdminRequest, AdminResponse, AdminTransport } from "./transport.ts";
import type { Json, JsonObject, Resource } from "./types.ts";

/** A write that was not sent. */
export interface ShadowWrite {
  readonly method: "PUT" | "DELETE";
  readonly resource: Resource;
  readonly id: string;
  /** Of a PUT. */
  readonly body: JsonObject | undefined;
}

export interface ShadowOptions {
  readonly maxListBytes: number;
  readonly wrote: (write: ShadowWrite) => void;
}

/**
 * An Admin API on which every write succeeds and nothing is written. Writes end here; reads go to the real one and show
 * it as it would be with them, so that whoever writes makes each write once and finds no drift in what it did not write.
 */
export function shadowTransport(admin: AdminTransport, options: ShadowOptions): AdminTransport {
  const state = new ShadowState();
  return async (request) => {
    const { collection, id } = subjectOf(request);
    if (collection === undefined) {
      if (request.method === "GET") return admin(request);
      // Whoever may only read may not ask for a check either.
      if (request.method === "POST") return answer(404, { error_msg: "nothing is checked" });
      throw new RangeError(`nothing of ours is written at ${request.path}`);
    }
    if (request.method !== "GET") return write(state, request, collection, id, options);
    if (id === "") return list(await admin(request), () => state.overlay(collection), options);
    const item = state.read(collection, id);
    if (item === undefined) return admin(request);
    return item === null ? answer(404, { message: "Key not found" }) : answer(200, item);
  };
}

const collections = ["routes", "services", "upstreams"] as const satisfies readonly Collection[];

function subjectOf({ path }: AdminRequest): { collection: Collection | undefined; id: string } {
  const [, , , name = "", id = ""] = (path.split("?")[0] ?? "").split("/");
  return { collection: collections.find((each) => each === name), id };
}

function write(
  state: ShadowState,
  { method, body }: AdminRequest,
  collection: Collection,
  id: string,
  { wrote }: ShadowOptions,
): AdminResponse {
  const resource = collection === "routes" ? "route" : "upstream";
  const key = `/apisix/${collection}/${id}`;
  const value = body === undefined ? undefined : (JSON.parse(body) as JsonObject);
  state.write(collection, id, method === "PUT" ? (body ?? null) : null);
  wrote({ method: method === "PUT" ? "PUT" : "DELETE", resource, id, body: value });
  return method === "PUT"
    ? answer(200, { key, value: { ...value, id } })
    : answer(200, { key, deleted: "1" });
}

/** What was made up before the answer began counts: the real list may show any later state. */
function list(
  response: AdminResponse,
  overlayNow: () => ListOverlay | undefined,
  options: ShadowOptions,
): AdminResponse {
  const overlay = response.status === 200 ? overlayNow() : undefined;
  return overlay === undefined ? response : { ...response, body: overlaid(response.body, overlay, options) };
}

/** @throws JsonListError where what is sent is no list: as its reader finds it. */
async function* overlaid(
  body: AsyncIterable<Uint8Array>,
  overlay: ListOverlay,
  { maxListBytes }: ShadowOptions,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const splitter = new ListSplitter({
    ...{ field: "list", maxItemBytes, maxBytes: maxListBytes, maxEnvelopeBytes, emptyObjectIsList: true },
  });
  let read = 0;
  let shown = 0;
  const text = (items: Iterable<unknown>): Uint8Array => {
    let joined = "";
    for (const item of items) joined += `${shown++ === 0 ? "" : ","}${JSON.stringify(item)}`;
    return encoder.encode(joined);
  };
  yield encoder.encode('{"list":[');
  for await (const chunk of body) {
    const items = splitter.push(chunk) as Json[];
    read += items.length;
    const shownNow = items.map((item) => (isJsonObject(item) ? overlay.inPlaceOf(item) : item));
    yield text(shownNow.filter((item) => item !== undefined));
  }
  const { total } = splitter.end();
  if (total !== read)
    throw new JsonListError("shape", `${read} items, but the total is ${JSON.stringify(total)}`);
  yield text(overlay.rest());
  yield encoder.encode(`],"total":${shown}}`);
}

function answer(status: number, body: JsonObject): AdminResponse {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return { status, contentType: "application/json", server: "", body: once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
