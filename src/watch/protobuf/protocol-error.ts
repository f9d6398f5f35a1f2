import { TranslatorError } from "../../errors.ts";
import { WireError } from "../../protobuf/wire-error.ts";

/** Bytes that cannot be read are what no API server sends; any other error stays what it is. */
export function asProtocolError(what: string, error: unknown): unknown {
  if (!(error instanceof WireError)) return error;
  return new TranslatorError("KUBE_PROTOCOL", `${what} cannot be read: ${error.message}`);
}
