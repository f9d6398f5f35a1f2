import type { Clock } from "../runtime.ts";
import { otherIdentity } from "./identified.ts";
import { KindRequest, type RequestOptions } from "./kind-request.ts";
import type { KindRow } from "./kinds.ts";
import { readIdentity } from "./read-identity.ts";
import type { KubeTransport } from "./transport.ts";

export interface ProofOptions extends Omit<RequestOptions, "row" | "heard"> {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The uid of the cluster's `kube-system`. */
  readonly uid: string;
  /** What it must be able to list and to watch. */
  readonly rows: readonly KindRow[];
}

/**
 * Shows that a session can take the place of another one: it is the same cluster, and what must be seen is listed and
 * watched. Lists one object of each, whatever its size, and opens a watch from there.
 *
 * @throws TranslatorError why it cannot; `KUBE_IDENTITY` where another cluster answers.
 */
export async function proveSession({ uid, rows, signal, ...options }: ProofOptions): Promise<void> {
  const found = await readIdentity(options.transport, options.clock, signal);
  if (found !== uid) throw otherIdentity(uid, found);
  for (const row of rows) {
    const requests = new KindRequest({ ...options, row, heard: () => {} });
    const resourceVersion = await requests.probe(signal);
    await opens(requests, resourceVersion, signal);
  }
}

async function opens(requests: KindRequest, resourceVersion: string, signal: AbortSignal): Promise<void> {
  const end = new AbortController();
  const hangUp = (): void => end.abort();
  signal.addEventListener("abort", hangUp, { once: true });
  let isOpen = false;
  const opened = (): void => {
    isOpen = true;
    end.abort();
  };
  try {
    await requests.watch({ resourceVersion }, 0, end.signal, { opened, frame: () => undefined });
  } catch (error) {
    if (!isOpen) throw error;
  } finally {
    signal.removeEventListener("abort", hangUp);
  }
}
