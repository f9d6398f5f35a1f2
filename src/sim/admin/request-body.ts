/** Request bodies, as lua-cjson reads them. */
import { plainRefusal, type AdminReply } from "./admin-reply.ts";
import { parseLuaJson } from "./lua-number.ts";

/** Bytes; a longer body is refused. */
export const maxBody = 1_572_864;

export type ParsedBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reply: AdminReply };

export function sizeRefusal(bytes: number): AdminReply {
  return plainRefusal(
    400,
    `invalid request body: request size ${bytes} is greater than the maximum size ${maxBody} allowed`,
  );
}

/** `undefined` as value: the body is empty. */
export function parseBody(text: string): ParsedBody {
  if (text === "") return { ok: true, value: undefined };
  try {
    return { ok: true, value: parseLuaJson(text) };
  } catch (error) {
    const lenient = text.includes("NaN") || text.includes("Infinity") ? parseLenient(text) : undefined;
    if (lenient !== undefined) return lenient;
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: false, reply: plainRefusal(400, `invalid request body: ${detail}`, { req_body: text }) };
  }
}

const numberWords = /"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)/g;

/** lua-cjson takes these words as numbers; which one it was never matters, for no field accepts it. */
function parseLenient(text: string): ParsedBody | undefined {
  try {
    const words = text.replace(numberWords, (token) => (token.startsWith('"') ? token : "1e999"));
    return { ok: true, value: JSON.parse(words) };
  } catch {
    return undefined;
  }
}
