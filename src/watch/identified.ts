import { TranslatorError } from "../errors.ts";
import type { Clock } from "../runtime.ts";
import { readIdentity } from "./read-identity.ts";
import type { KubeTransport } from "./transport.ts";

/**
 * A transport that hears nothing from a cluster that is not who it was: before each list and each watch is begun, the uid
 * of `kube-system` is read again on the same transport. An address may be given to another cluster, a store wiped; what
 * then answers would look like a cluster in which everything has been deleted.
 *
 * @throws TranslatorError `KUBE_IDENTITY`; whatever reading the uid throws.
 */
export function identified(transport: KubeTransport, uid: string, clock: Clock): KubeTransport {
  return async (request) => {
    if (begins(request.path)) {
      const found = await readIdentity(transport, clock, request.signal);
      if (found !== uid) throw otherIdentity(uid, found);
    }
    return transport(request);
  };
}

/** A further page belongs to a list that has begun; a probe's answer is a number and nothing else. */
function begins(path: string): boolean {
  return !/[?&](?:continue=|limit=1(?:&|$))/.test(path);
}

/** What is said of a name that answers with the uid of another cluster. */
export function otherIdentity(known: string, found: string): TranslatorError {
  const message = `another cluster answers under this name: the uid of its namespace kube-system is ${found}, and was ${known}`;
  return new TranslatorError("KUBE_IDENTITY", message);
}
