import { placeOf } from "../../src/shard/shard-key.ts";
import type { Kept } from "../../src/filter/kept.ts";
import { silentLog } from "../../src/runtime.ts";
import type { CreateHandler } from "../../src/shard/memory-links.ts";
import { MemoryLinks } from "../../src/shard/memory-links.ts";
import type { FromShard, Known, ShardOptions, ToShard } from "../../src/shard/protocol.ts";
import type { Applied } from "../../src/shard/shards.ts";
import { Shards } from "../../src/shard/shards.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { applied, identity } from "./objects.ts";
import { StubShard } from "./stub-shard.ts";

export const options: Omit<ShardOptions, "shard"> = {
  instance: "default",
  clusters: [{ name: "east", addressFamily: "IPv4", weight: 100 }],
  defaultUri: "/*",
  plugins: [],
  nodePort: { maxNodes: 64, address: "InternalIP" },
  by: "service",
};

interface FleetOptions {
  readonly count?: number;
  readonly by?: "service" | "cluster";
  /** Instead of stubs. */
  readonly create?: CreateHandler;
}

/** Shards over memory links on a virtual clock, with a store and a ledger, and what they said in order. */
export class Fleet {
  readonly clock = new VirtualClock();
  /** Every stub there ever was, oldest first. */
  readonly stubs: StubShard[] = [];
  readonly links: MemoryLinks;
  readonly shards: Shards;
  readonly store = new Map<string, Applied>();
  readonly ledger = new Map<string, Known>();
  readonly said: string[] = [];
  /** Answers instead of the stub where it returns something. */
  instead: (message: ToShard) => FromShard[] | undefined = () => undefined;

  constructor({ count = 1, by = "service", create }: FleetOptions = {}) {
    this.links = new MemoryLinks(this.clock, create ?? ((shard) => this.#stub(shard)));
    this.shards = new Shards({
      ...{ count, options: { ...options, by }, links: this.links, clock: this.clock, log: silentLog },
      objectsOf: (shard) =>
        [...this.store.values()].filter((object) => this.shards.shardOf(placeOf(object)!) === shard),
      knownOf: (shard) =>
        [...this.ledger.values()].filter((known) => this.shards.shardOf(known.identity) === shard),
      on: {
        changes: (changes) => this.said.push(`changes ${changes.map(({ id }) => id).join()}`),
        parts: () => {},
        nodes: (shard, cluster, isWanted) => this.said.push(`nodes ${shard} ${cluster} ${isWanted}`),
        need: (id) => this.said.push(`need ${id}`),
        lost: (shard, reason) => this.said.push(`lost ${shard} ${reason}`),
        restored: (shard) => this.said.push(`restored ${shard}`),
        quarantined: ({ name }) => this.said.push(`quarantined ${name}`),
      },
    });
  }

  async start(): Promise<void> {
    const started = this.shards.start();
    await this.clock.advance(0);
    await started;
  }

  /** As the filter does: the store first. */
  offer(...changes: readonly Kept[]): void {
    for (const kept of changes) {
      const key = `${kept.cluster}/${kept.namespace}/${kept.name}`;
      if (kept.type === "apply") this.store.set(key, kept);
      else this.store.delete(key);
      this.shards.offer(kept);
    }
  }

  /** The stub that was started last for this shard. */
  stub(shard = 0): StubShard {
    const stub = this.stubs.findLast((each) => each.options.shard === shard);
    if (stub === undefined) throw new Error("no such shard");
    return stub;
  }

  #stub(shard: ShardOptions): (message: ToShard) => FromShard[] {
    const stub = new StubShard(shard);
    this.stubs.push(stub);
    return (message) => this.instead(message) ?? stub.handle(message);
  }
}

/** One shard, started, settled and quiet: it holds the Pods `a` and `b` of East, and the route of `a` stands. */
export async function settledFleet(): Promise<Fleet> {
  const fleet = new Fleet();
  await fleet.start();
  fleet.shards.cluster("east", "uid-east");
  fleet.ledger.set("t-a", { id: "t-a", identity: identity("a"), route: { digest: "d" } });
  fleet.shards.known({ id: "t-a", identity: identity("a"), route: { digest: "d" } });
  fleet.offer(applied("a"), applied("b"));
  void fleet.shards.settle("east", "pods");
  await fleet.clock.advance(0);
  fleet.said.length = 0;
  return fleet;
}

/** Whether a promise has an answer by now; looks without waiting. */
export function watched<Value>(promise: Promise<Value>): { readonly value: Value | undefined } {
  const state: { value: Value | undefined } = { value: undefined };
  void promise.then((value) => (state.value = value));
  return state;
}
