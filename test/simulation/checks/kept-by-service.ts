import type { Identity } from "../../../src/apisix/types.ts";
import { addressesOf } from "../oracle/endpoints.ts";
import { declaredIn } from "../oracle/expected.ts";
import type { Node } from "../oracle/ownership.ts";
import type { Heard } from "./pause-memory.ts";

/**
 * Whether a node of a group may stand for a Service that is paused, though its address is behind it no more: what went
 * since its pause stays, and so does what went before it and was heard of together with it or later.
 *
 * Of a group that is its alone nothing is written while it is paused: any address may stand that it, or another one of its
 * name, ever had. To a group of several it gives what it gave when it was last heard of before its pause, which is as old
 * as the last lists before that at most; whoever had heard none keeps what stands.
 */
export function isKeptByService(
  { host, metadata }: Node,
  { kind, share, namespace, name, ...identity }: Identity,
  { history, lists }: Heard,
): boolean {
  const cluster = share === "none" ? identity.cluster : metadata?.cluster;
  if (kind !== "service" || cluster === undefined) return false;
  let uid: string | undefined;
  let knownFrom = Infinity;
  for (const { from, truth } of history.since(cluster, -Infinity)) {
    const was = [...declaredIn(truth)]
      .map(({ pod }) => pod)
      .find((pod) => pod.kind === kind && pod.namespace === namespace && pod.name === name);
    const isPaused = was?.paused === true;
    uid ??= isPaused ? was.uid : undefined;
    if (uid === undefined) return false;
    if (isPaused) {
      const basis = was.hostNodes === undefined ? "service" : "node";
      knownFrom = (share === "none" ? undefined : lists.since(cluster, basis, from)) ?? -Infinity;
    }
    if (was?.uid !== uid && knownFrom !== -Infinity) return false;
    if (was !== undefined && addressesOf(was).includes(host)) return true;
    if (!isPaused && from <= knownFrom) return false;
  }
  return false;
}
