import { isJsonObject } from "./json-object.ts";
import type { AdminResponse } from "./transport.ts";
import type { Json, JsonObject } from "./types.ts";

/** An answer of the Admin API to a request about one object, read to its end. */
export interface Answer {
  readonly status: number;
  /** The `Server` header. */
  readonly server: string;
  /** Milliseconds. */
  readonly retryAfter: number | undefined;
  /**
   * Undefined where the body is not a JSON object, as an HTML page, or is too long to be one of APISIX's. What an error
   * says is without the admin key, for it is told.
   */
  readonly json: JsonObject | undefined;
}

/** An object as APISIX sends it back: bodies are at most 1.5 MiB, and cjson escapes slashes and control characters. */
const maxObjectBytes = 8 << 20;
const maxErrorBytes = 64 << 10;

/**
 * Reads the body to its end, or gives it up where it is too long.
 *
 * @throws TranslatorError `ADMIN_CONNECTION`, `ABORTED`
 */
export async function readAnswer(response: AdminResponse): Promise<Answer> {
  const { status, server, retryAfter } = response;
  const isError = status < 200 || status >= 300;
  const bytes = await collect(response.body, isError ? maxErrorBytes : maxObjectBytes);
  const unecho = isError ? response.unecho : undefined;
  return { status, server, retryAfter, json: bytes === undefined ? undefined : parseObject(bytes, unecho) };
}

/** Undefined, and the rest left unread, where there is more than `limit`: leaving the loop cancels the body. */
async function collect(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parseObject(bytes: Uint8Array, unecho?: (text: string) => string): JsonObject | undefined {
  try {
    const text = decoder.decode(bytes);
    const told = (_key: string, value: Json): Json =>
      typeof value === "string" && unecho !== undefined ? unecho(value) : value;
    const value = JSON.parse(text, unecho === undefined ? undefined : told) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Not UTF-8 or not JSON: the caller is told by `undefined`.
    return undefined;
  }
}
