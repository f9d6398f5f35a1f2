import { contentOf } from "../oracle/ownership.ts";
import type { Body } from "../oracle/ownership.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import type { World } from "../world.ts";
import { keptWhatStood } from "./sight.ts";

/**
 * An operator has accepted the cluster's new identity: what stands for it says so, whatever else it waits for. A late
 * write of that changed nothing else of what stood when it was sent.
 */
export function isRelabelled(
  { clusters }: World,
  cluster: string,
  before: Body,
  after: Body,
  request: SentRequest,
): boolean {
  const label = `translator/member.${cluster}`;
  const { store, rebuilt } = clusters.get(cluster) ?? {};
  const labelsOf = (body: Body): Body => (body["labels"] ?? {}) as Body;
  if (rebuilt !== "asked" || labelsOf(after)[label] !== store?.uid) return false;
  const relabelled = (body: Body): string =>
    contentOf({ ...body, labels: { ...labelsOf(body), [label]: store?.uid } });
  return relabelled(before) === relabelled(after) || keptWhatStood(request, after, relabelled);
}
