/** Who may ask: a key in a header, in the query, or in a cookie. */
import { plainRefusal, type AdminReply } from "./admin-reply.ts";

export interface AdminKeys {
  readonly admin: string;
  /** May only read. */
  readonly viewer: string;
}

interface KeyedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

function denial(description: string): AdminReply {
  return plainRefusal(401, "failed to check token", { description });
}

export const wrongKey: AdminReply = denial("wrong apikey");

/** @returns The refusal, or `undefined` when the request may go on. */
export function authorise(
  keys: AdminKeys,
  request: KeyedRequest,
  query: URLSearchParams,
): AdminReply | undefined {
  const key =
    request.headers["x-api-key"] ?? query.get("api_key") ?? keyFromCookie(request.headers["cookie"]);
  if (key === keys.admin) return undefined;
  if (key === undefined || key === null) return denial("missing apikey");
  if (key !== keys.viewer) return wrongKey;
  return request.method === "GET" ? undefined : denial("invalid method for role viewer");
}

function keyFromCookie(cookie: string | undefined): string | undefined {
  for (const part of cookie?.split(";") ?? []) {
    const [name, value] = part.trim().split("=");
    if (name === "x_api_key") return value;
  }
  return undefined;
}
