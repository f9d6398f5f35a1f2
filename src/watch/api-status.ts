import { TranslatorError } from "../errors.ts";
import { readStatusBody } from "./protobuf/read-status.ts";
import type { KubeResponse } from "./transport.ts";

/** Bytes of an error's body that are read: a Status is far below, a proxy's page says nothing later that it did not say before. */
const maxErrorBytes = 64 * 1024;
const maxTextLength = 300;

/** The error that a response with any status but 200 stands for. Reads its body, at most 64 KB of it. */
export async function responseError(response: KubeResponse): Promise<TranslatorError> {
  const { status, retryAfter } = response;
  if (status >= 300 && status < 400) {
    return new TranslatorError(
      "KUBE_PROTOCOL",
      `the server answered with a redirect (${status}), which is not followed`,
    );
  }
  if (status < 400) return new TranslatorError("KUBE_PROTOCOL", `the server answered ${status} to a read`);
  const said = statusText(await readStatusOf(response));
  const error = new TranslatorError("KUBE_STATUS", `the server answered ${status}${said}`, {
    status,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
  // In the body it may have stood in JSON's escapes.
  return unechoedError(error, response);
}

/** The error of an in-stream ERROR event, whose object should be a `Status`. */
export function statusError(value: unknown): TranslatorError {
  const { code, reason, details } = asRecord(value);
  const status = isHttpError(code) ? code : reason === "Expired" || reason === "Gone" ? 410 : 500;
  const seconds = asRecord(details)["retryAfterSeconds"];
  return new TranslatorError("KUBE_STATUS", `the server ended the watch with ${status}${statusText(value)}`, {
    status,
    ...(typeof seconds === "number" && seconds > 0 ? { retryAfter: seconds * 1000 } : {}),
  });
}

/** The same, without the credential of its request. */
export function unechoedError(
  error: TranslatorError,
  { unecho }: Pick<KubeResponse, "unecho">,
): TranslatorError {
  if (unecho === undefined) return error;
  const { code, message, status, retryAfter } = error;
  return new TranslatorError(code, unecho(message), {
    ...(status === undefined ? {} : { status }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

function isHttpError(code: unknown): code is number {
  return typeof code === "number" && Number.isInteger(code) && code >= 400 && code < 600;
}

/** `": Forbidden: pods is forbidden …"`, or `""` where the value is no Status. */
function statusText(value: unknown): string {
  const { kind, reason, message } = asRecord(value);
  if (kind !== "Status") return "";
  const parts = [...new Set([reason, message])].filter((part) => typeof part === "string" && part !== "");
  return parts.length === 0 ? "" : `: ${printable(parts.join(": "))}`;
}

/** Cuts what a far side said for a log line, and masks what looks like a credential that it echoes. */
export function printable(text: string): string {
  const line = text.slice(0, 2 * maxTextLength).replaceAll(/\p{Cc}+/gu, " ");
  const masked = line
    .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, "$1 [secret]")
    .replaceAll(/\beyJ[\w-]+\.[\w.-]+/g, "[secret]");
  return masked.length > maxTextLength ? `${masked.slice(0, maxTextLength)}…` : masked;
}

/** The body as a Status in either format; undefined for a body that is none. */
async function readStatusOf(response: KubeResponse): Promise<unknown> {
  const parse = parsers.find(([type]) => response.contentType.startsWith(type))?.[1];
  if (parse === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxErrorBytes) return undefined;
  }
  return parse(Buffer.concat(chunks));
}

const parsers: readonly (readonly [type: string, parse: (body: Buffer) => unknown])[] = [
  ["application/json", parseJson],
  ["application/vnd.kubernetes.protobuf", readStatusBody],
];

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    // The status says enough; what cannot be read adds nothing.
    return undefined;
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
