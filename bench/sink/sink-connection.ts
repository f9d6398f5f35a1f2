import type { Socket } from "node:net";

export interface SinkRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly body: Buffer;
}

/** What stands between the head and the body of a request. */
const headEnd = Buffer.from("\r\n\r\n");
const lengthHeader = /\r\ncontent-length: *(\d+)/i;

/**
 * Reads requests off one connection, as far as a client of ours writes them: HTTP/1.1, keep-alive, bodies of a length that
 * the head names. Node's own server would be the bottleneck of what it is to measure.
 */
export function readRequests(socket: Socket, take: (request: SinkRequest) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    // What came together is answered together: a system call for each would be most of its cost.
    socket.cork();
    for (;;) {
      const end = bytes.indexOf(headEnd);
      if (end < 0) break;
      const head = bytes.toString("latin1", 0, end);
      const length = Number(lengthHeader.exec(head)?.[1] ?? 0);
      const from = end + headEnd.length;
      if (bytes.length < from + length) break;
      const methodEnd = head.indexOf(" ");
      const target = head.slice(methodEnd + 1, head.indexOf(" ", methodEnd + 1));
      const [path = ""] = target.split("?", 1);
      take({ method: head.slice(0, methodEnd), path, body: bytes.subarray(from, from + length) });
      bytes = bytes.subarray(from + length);
    }
    socket.uncork();
    rest = bytes;
  });
}

export function answer(socket: Socket, status: number, body: Buffer | string): void {
  const text = typeof body === "string" ? body : "";
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  socket.write(`${headOf(status, length)}${text}`);
  if (typeof body !== "string") socket.write(body);
}

export function headOf(status: number, length: number): string {
  const reason = reasons[status] ?? "Unknown";
  return `HTTP/1.1 ${status} ${reason}\r\nServer: APISIX/3.18.0\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

const reasons: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 404: "Not Found" };
