/** Where a handler writes one response: a real socket, or the in-memory transport. */
export interface ResponseSink {
  /** Once, before anything else; sent at once, also where no byte of the body follows yet. */
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** @returns bytes that wait for the reader. */
  write(bytes: Uint8Array): number;
  /** The body is complete. */
  end(): void;
  /** The connection breaks here. */
  destroy(): void;
  /** Calls `run` once when what waits has left; never after the end. */
  onDrain(run: () => void): void;
  /** Calls `run` once when the response is over, however it came to that. */
  onClose(run: () => void): void;
}

/** What a handler gets of a request. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly authorization: string;
  readonly accept: string;
  /** Of a request that writes. */
  readonly body?: string;
  /** Of the body. */
  readonly contentType?: string;
}

/** Sends a whole answer. */
export function answer(
  sink: ResponseSink,
  status: number,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>>,
): void {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  sink.head(status, { ...headers, "content-length": String(bytes.byteLength) });
  sink.write(bytes);
  sink.end();
}

/**
 * Passes on the first `limit` bytes of a body, then ends: `clean` as if that had been all (a truncated document), else
 * by breaking the connection.
 */
export function truncatingSink(sink: ResponseSink, limit: number, clean: boolean): ResponseSink {
  let left = limit;
  let over = false;
  return {
    ...forwarding(sink),
    head(status, headers) {
      // A length that the body will not reach would turn a clean end into a protocol error.
      const { "content-length": _length, ...rest } = headers;
      sink.head(status, rest);
    },
    write(bytes) {
      if (over) return 0;
      const waiting = sink.write(bytes.subarray(0, left));
      left -= bytes.byteLength;
      if (left > 0) return waiting;
      over = true;
      if (clean) sink.end();
      else sink.destroy();
      return waiting;
    },
    end() {
      if (!over) sink.end();
    },
  };
}

function forwarding(sink: ResponseSink): ResponseSink {
  return {
    head: (status, headers) => sink.head(status, headers),
    write: (bytes) => sink.write(bytes),
    end: () => sink.end(),
    destroy: () => sink.destroy(),
    onDrain: (run) => sink.onDrain(run),
    onClose: (run) => sink.onClose(run),
  };
}
