import { consumedMessage } from "../../protobuf/consumed-message.ts";
import { integer, message, shapeOf, text } from "../../protobuf/message-shape.ts";
import { readValue } from "../../protobuf/read-value.ts";
import { WireError } from "../../protobuf/wire-error.ts";
import { readEnvelope } from "./envelope.ts";

export const statusKind = "Status";

/** meta.v1.Status, as far as it is told. */
const status = consumedMessage(
  shapeOf({
    message: text(3),
    reason: text(4),
    details: message(5, shapeOf({ retryAfterSeconds: integer(5) })),
    code: integer(6),
  }),
  [
    { path: ["message"] },
    { path: ["reason"] },
    { path: ["details", "retryAfterSeconds"] },
    { path: ["code"] },
  ],
);

/**
 * A Status as JSON would have it.
 *
 * @throws WireError
 */
export function readStatus(bytes: Buffer, from: number, to: number): unknown {
  return { kind: statusKind, ...readValue(bytes, status, from, to) };
}

/** The body of an error response; undefined where it is no Status: the response's own status says enough. */
export function readStatusBody(bytes: Buffer): unknown {
  try {
    const { kind, from, to } = readEnvelope(bytes, 0, bytes.length);
    return kind === statusKind ? readStatus(bytes, from, to) : undefined;
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}
