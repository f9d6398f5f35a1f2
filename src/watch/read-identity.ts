import { TranslatorError } from "../errors.ts";
import { parseJsonBytes } from "../json/json-bytes.ts";
import { JsonListError } from "../json/json-list-error.ts";
import type { Clock } from "../runtime.ts";
import { responseError } from "./api-status.ts";
import { timedRequest } from "./timed-request.ts";
import type { KubeTransport } from "./transport.ts";

const path = "/api/v1/namespaces/kube-system";
const limits = { answer: 10_000, silence: 10_000, whole: 10_000 };
/** The namespace object is about 1 KB, far less than this even with generous annotations. */
const maxBytes = 1024 * 1024;

/**
 * The uid of the namespace `kube-system`: who this cluster is, whatever name it goes by.
 *
 * @throws TranslatorError as the transport does; `KUBE_STATUS`; `KUBE_PROTOCOL` where the answer is not that namespace.
 */
export async function readIdentity(
  transport: KubeTransport,
  clock: Clock,
  signal: AbortSignal,
): Promise<string> {
  const response = await timedRequest(transport, clock, { path, accept: "application/json", signal, limits });
  if (response.status !== 200) throw await responseError(response);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes)
      throw new TranslatorError("KUBE_PROTOCOL", "the answer for kube-system has no end");
  }
  const uid = uidOf(Buffer.concat(chunks));
  if (uid !== undefined) return uid;
  throw new TranslatorError("KUBE_PROTOCOL", "the answer for kube-system is not that namespace");
}

function uidOf(bytes: Uint8Array): string | undefined {
  let value: unknown;
  try {
    value = parseJsonBytes(bytes);
  } catch (error) {
    if (error instanceof JsonListError) return undefined;
    throw error;
  }
  const { kind, metadata } = asRecord(value);
  const { name, uid } = asRecord(metadata);
  const isUid = typeof uid === "string" && uid !== "" && uid.length <= 128;
  return kind === "Namespace" && name === "kube-system" && isUid ? uid : undefined;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
