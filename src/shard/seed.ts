import type { Kept } from "../filter/kept.ts";
import type { Channel } from "./channel.ts";
import type { Configured, Known } from "./protocol.ts";
import type { Quarantine } from "./quarantine.ts";
import { keyOf } from "./quarantine.ts";
import type { Loss, Settlement } from "./settlements.ts";

/** Enough to be cheap, few enough that an answer comes between. */
const knownEach = 256;

export interface Seed {
  /** The configuration, where it has changed since the shard was started. */
  readonly configured: Configured | undefined;
  /** Uids of clusters by name. */
  readonly uids: Iterable<readonly [cluster: string, uid: string]>;
  readonly known: Iterable<Known>;
  readonly objects: Iterable<Kept>;
  readonly losses: Iterable<Loss>;
  readonly settlements: Iterable<Settlement>;
  readonly quarantine: Quarantine;
}

/**
 * Tells an empty shard everything, in the order in which it must learn it: configuration, identities, what stands, objects, and only
 * then what is out of sight and what is settled. Suspects go last and alone. Calls `reached` once the shard has answered for all of it.
 */
export function seed(
  channel: Channel,
  { configured, uids, known, objects, losses, settlements, quarantine }: Seed,
  reached: () => void,
): void {
  if (configured !== undefined) channel.inOrder({ type: "configure", options: configured });
  for (const [cluster, uid] of uids) channel.inOrder({ type: "cluster", cluster, uid });
  let entries: Known[] = [];
  for (const entry of known) {
    entries.push(entry);
    if (entries.length < knownEach) continue;
    channel.mark({ message: { type: "known", entries } });
    entries = [];
  }
  if (entries.length > 0) channel.mark({ message: { type: "known", entries } });
  const suspects: Kept[] = [];
  for (const object of objects) {
    const key = keyOf(object);
    if (quarantine.isSuspect(key)) suspects.push(object);
    else if (!quarantine.has(key)) channel.offer(object);
  }
  for (const suspect of suspects) channel.offerAlone(suspect);
  for (const loss of losses) channel.inOrder(loss);
  for (const { cluster, kind, token } of settlements)
    channel.inOrder({ type: "settle", cluster, kind, token });
  channel.mark({ reached });
}
