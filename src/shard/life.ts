import type { TranslatorError } from "../errors.ts";
import type { KeptKey } from "../filter/kept.ts";
import type { Cancel, Clock } from "../runtime.ts";
import { Channel } from "./channel.ts";
import { checkFromShard } from "./check-message.ts";
import { decode, encode, epochOf } from "./codec.ts";
import type { LinkEvents, LostReason, ShardLink } from "./link.ts";
import type { Explained, ExplainQuery, FromShard, ToShard } from "./protocol.ts";
import { Questions } from "./questions.ts";
import type { ShardsEvents, Wanted } from "./shards.ts";
import { Watchdog } from "./watchdog.ts";

/** Messages that a shard answers by nothing are followed by a question this much later, so that a hang is noticed. */
const askAfter = 1000;
const unanswered: ReadonlySet<ToShard["type"]> = new Set([
  ...(["known", "forget", "kept", "letGo"] as const),
  ...(["cluster", "configure", "doubt", "unsettle", "purge"] as const),
]);

export interface LifeParts {
  readonly epoch: number;
  readonly clock: Clock;
  /** Milliseconds without an answer after which the shard hangs. */
  readonly patience: number;
  readonly on: Pick<ShardsEvents, "changes" | "need" | "parts"> & {
    nodes(cluster: string, isWanted: boolean): void;
  };
  readonly freeRequests: () => number;
  settled(token: number): void;
  lost(reason: LostReason, detail: string): void;
}

/** One shard in one epoch: from its start, over its link, to its loss. Says `lost` at most once, and nothing after it. */
export class Life implements LinkEvents {
  readonly channel: Channel;
  readonly #parts: LifeParts;
  readonly #watchdog: Watchdog;
  readonly #wants = new Questions<Wanted>();
  readonly #explains = new Questions<readonly Explained[]>();
  /** Tokens that were sent and not answered. */
  readonly #settling = new Set<number>();
  readonly #awaiting = new Set<() => void>();
  #link: ShardLink | undefined;
  #tokens = 0;
  #ended = false;
  #question: Cancel | undefined;

  constructor(parts: LifeParts) {
    this.#parts = parts;
    this.channel = new Channel(parts.clock, (message) => this.#post(message), {
      freeRequests: parts.freeRequests,
      flush: () => this.#link?.flush(),
    });
    const hangs = () => this.lost("hang", "work is outstanding and nothing came back");
    this.#watchdog = new Watchdog({
      ...{ clock: parts.clock, patience: parts.patience, isBusy: () => this.#isBusy(), hangs },
      used: () => this.#link?.used?.(),
    });
  }

  get isOpen(): boolean {
    return this.#link !== undefined && !this.#ended;
  }

  /** The shard is ready. Returns false if it has been lost since. */
  open(link: ShardLink): boolean {
    this.#link = link;
    if (this.#ended) void link.close();
    return !this.#ended;
  }

  /** Resolves when everything that was sent before has been handled, or at the end. */
  caughtUp(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaiting.add(resolve);
    this.channel.mark({
      reached: () => {
        this.#awaiting.delete(resolve);
        resolve();
      },
    });
    return promise;
  }

  want(message: Extract<ToShard, { type: "want" }>): Promise<Wanted> {
    const answer = this.#wants.ask(`${message.resource} ${message.id}`);
    this.channel.atOnce(message);
    return answer;
  }

  explain(query: ExplainQuery): Promise<readonly Explained[]> {
    const token = ++this.#tokens;
    const answer = this.#explains.ask(`${token}`);
    this.channel.atOnce({ type: "explain", token, query });
    return answer;
  }

  message(bytes: Uint8Array): void {
    if (this.#ended) return;
    const message = this.#read(bytes);
    if (message === undefined) return;
    this.#watchdog.heard();
    if (!this.#take(message)) this.lost("protocol", `it answered what nobody asked: ${message.type}`);
  }

  lost(reason: LostReason, detail: string): void {
    if (this.#ended) return;
    this.#parts.lost(reason, detail);
  }

  /** The objects of the group that the shard was working on. */
  doing(): readonly KeptKey[] {
    return this.#link?.doing?.() ?? [];
  }

  /** Seconds of CPU. */
  get cpu(): number {
    return this.#link?.cpu?.() ?? 0;
  }

  /** Ends the shard and every question to it. */
  end(error: TranslatorError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.channel.close();
    this.#question?.();
    this.#watchdog.stop();
    void this.#link?.close();
    for (const resolve of this.#awaiting) resolve();
    this.#explains.end((_, question) => question.reject(error));
    this.#wants.end((key, question) => {
      const [resource, id = ""] = key.split(" ");
      question.resolve({ type: "stale", id, resource: resource === "route" ? "route" : "upstream" });
    });
  }

  #isBusy(): boolean {
    return (
      this.channel.unacked > 0 || this.#wants.size > 0 || this.#explains.size > 0 || this.#settling.size > 0
    );
  }

  #post(message: ToShard): void {
    if (this.#ended || this.#link === undefined) return;
    if (message.type === "settle") this.#settling.add(message.token);
    this.#link.post(encode(this.#parts.epoch, message));
    this.#watchdog.watch();
    if (unanswered.has(message.type)) this.#askSoon();
  }

  #askSoon(): void {
    this.#question ??= this.#parts.clock.after(askAfter, () => {
      this.#question = undefined;
      if (!this.#isBusy()) this.channel.mark({});
    });
  }

  #read(bytes: Uint8Array): FromShard | undefined {
    try {
      return epochOf(bytes) === this.#parts.epoch ? checkFromShard(decode(bytes)) : undefined;
    } catch (error) {
      this.lost("protocol", error instanceof Error ? error.message : "it cannot be decoded");
      return undefined;
    }
  }

  /** Hands over what the shard has said; changes before everything that waits for them. False: nobody asked. */
  #take(message: FromShard): boolean {
    const { on } = this.#parts;
    switch (message.type) {
      case "done":
        if (!this.channel.awaits(message.seq)) return false;
        if (message.changes.length > 0) on.changes(message.changes, message.bodies);
        this.channel.done(message.seq);
        return true;
      case "changes":
        on.changes(message.changes);
        return true;
      case "settled":
        if (!this.#settling.delete(message.token)) return false;
        if (message.changes.length > 0) on.changes(message.changes);
        this.#parts.settled(message.token);
        return true;
      case "need":
        on.need(message.id, message.identity);
        return true;
      case "parts":
        on.parts(message.parts);
        return true;
      case "nodes":
        on.nodes(message.cluster, message.isWanted);
        return true;
      case "explained":
        return this.#explains.answer(`${message.token}`, message.declarations);
      case "body":
      case "same":
      case "stale":
        return this.#wants.answer(`${message.resource} ${message.id}`, message);
      case "ready":
        return false;
    }
  }
}
