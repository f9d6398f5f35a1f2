import type { Clock } from "../runtime.ts";
import { decode, encode, epochOf } from "./codec.ts";
import type { LinkEvents, LinkStart, LostReason, ShardLink, ShardLinks } from "./link.ts";
import type { FromShard, ShardOptions, ToShard } from "./protocol.ts";

/** As `createShardHandler` of `workers/`, which this stage does not know. */
export type CreateHandler = (options: ShardOptions) => (message: ToShard) => FromShard[];

/**
 * Shards in this very thread, behind the same codec: for the deterministic simulation and for tests. Every message is
 * delivered in a turn of its own that `clock.soon` chooses; order within one direction of one shard is kept.
 */
export class MemoryLinks implements ShardLinks {
  readonly #clock: Clock;
  readonly #create: CreateHandler;
  readonly #links = new Map<number, MemoryLink>();

  constructor(clock: Clock, create: CreateHandler) {
    this.#clock = clock;
    this.#create = create;
  }

  async start(start: LinkStart, on: LinkEvents): Promise<ShardLink> {
    const link = new MemoryLink(this.#clock, this.#create, start, on);
    this.#links.set(start.options.shard, link);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#clock.soon(resolve);
    await promise;
    return link;
  }

  /** The shard dies now; what is on its way in either direction is gone. */
  kill(shard: number, reason: LostReason = "exit"): void {
    this.#links.get(shard)?.die(reason, "killed");
  }

  /** The shard takes no message any more, and says nothing. */
  hang(shard: number): void {
    this.#links.get(shard)?.hang();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#links.values()].map((link) => link.close()));
  }
}

class MemoryLink implements ShardLink {
  readonly #clock: Clock;
  readonly #epoch: number;
  readonly #on: LinkEvents;
  readonly #handle: (message: ToShard) => FromShard[];
  readonly #toShard: Uint8Array[] = [];
  readonly #fromShard: Uint8Array[] = [];
  #dead = false;
  #hangs = false;

  constructor(clock: Clock, create: CreateHandler, { epoch, options }: LinkStart, on: LinkEvents) {
    this.#clock = clock;
    this.#epoch = epoch;
    this.#on = on;
    this.#handle = create(options);
  }

  post(bytes: Uint8Array): void {
    if (this.#dead) return;
    this.#toShard.push(bytes.slice());
    this.#clock.soon(() => this.#take());
  }

  /** Every message has a turn of its own. */
  flush(): void {}

  close(): Promise<void> {
    this.#dead = true;
    return Promise.resolve();
  }

  hang(): void {
    this.#hangs = true;
  }

  die(reason: LostReason, detail: string): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#clock.soon(() => this.#on.lost(reason, detail));
  }

  /** The head of the queue, not the message of the turn: the scheduler may run turns in any order. */
  #take(): void {
    const bytes = this.#dead || this.#hangs ? undefined : this.#toShard.shift();
    if (bytes === undefined || epochOf(bytes) !== this.#epoch) return;
    let answers: FromShard[];
    try {
      answers = this.#handle(decode(bytes) as ToShard);
    } catch (error) {
      return this.die("error", error instanceof Error ? error.message : String(error));
    }
    for (const answer of answers) {
      this.#fromShard.push(encode(this.#epoch, answer));
      this.#clock.soon(() => {
        const said = this.#dead || this.#hangs ? undefined : this.#fromShard.shift();
        if (said !== undefined) this.#on.message(said);
      });
    }
  }
}
