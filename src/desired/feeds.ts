import { NodeAddresses } from "./node-addresses.ts";
import { Slices } from "./slices.ts";

/** What sources rest on besides themselves: one for the life of a shard. */
export interface Feeds {
  readonly slices: Slices;
  readonly nodes: NodeAddresses;
}

export function newFeeds(): Feeds {
  return { slices: new Slices(), nodes: new NodeAddresses() };
}
