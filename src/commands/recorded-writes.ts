import type { AdminRequest, AdminResponse, AdminTransport } from "../apisix/transport.ts";
import type { JsonObject, Resource } from "../apisix/types.ts";

/** A write that was not sent. */
export interface RecordedWrite {
  readonly method: "PUT" | "DELETE";
  readonly resource: Resource;
  readonly id: string;
  /** Of a PUT. */
  readonly body: JsonObject | undefined;
}

/**
 * An Admin API on which every write succeeds and nothing is written: reads go to the real one, writes are recorded and
 * answered as APISIX answers them. A read of what was written shows what really stands; nothing that plans asks for it.
 */
export function recordingWrites(
  admin: AdminTransport,
  record: (write: RecordedWrite) => void,
): AdminTransport {
  return async (request) => {
    if (request.method === "GET") return admin(request);
    const write = readWrite(request);
    record(write);
    const key = `/apisix/${write.resource}s/${write.id}`;
    return write.method === "PUT"
      ? answer(201, { key, value: { ...write.body, id: write.id } })
      : answer(200, { key, deleted: "1" });
  };
}

function readWrite({ method, path, body }: AdminRequest): RecordedWrite {
  const [collection = "", id = ""] = path.split("/").slice(-2);
  return {
    method: method === "PUT" ? "PUT" : "DELETE",
    resource: collection === "routes" ? "route" : "upstream",
    id,
    body: body === undefined ? undefined : (JSON.parse(body) as JsonObject),
  };
}

function answer(status: number, body: JsonObject): AdminResponse {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return { status, contentType: "application/json", server: "", body: once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
