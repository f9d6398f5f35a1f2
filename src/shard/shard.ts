import type { Identity } from "../apisix/types.ts";
import { TranslatorError } from "../errors.ts";
import type { Kept, KeptKey } from "../filter/kept.ts";
import type { Cancel } from "../runtime.ts";
import type { AtOnce, InOrder } from "./channel.ts";
import { Life } from "./life.ts";
import type { LostReason, ShardLink } from "./link.ts";
import type { Configured, Explained, ExplainQuery, Known } from "./protocol.ts";
import { keyOf, Quarantine } from "./quarantine.ts";
import type { Quarantined } from "./quarantine.ts";
import { seed } from "./seed.ts";
import type { Settlements } from "./settlements.ts";
import type { ShardsParts, Wanted } from "./shards.ts";

const defaultPatience = 5_000;
/** A shard that is slow, not hanging, must get through some day. */
const maxPatience = 60_000;
/** Milliseconds before the second restart in a row; the first is at once, each further one waits twice as long. */
const firstDelay = 200;
const maxDelay = 30_000;
/** Milliseconds of life after which a loss is no longer "in a row". */
const healthy = 60_000;

const none = (): number => 0;

export interface ShardContext {
  readonly parts: ShardsParts;
  /** The newest. */
  readonly options: () => Configured;
  readonly settlements: Settlements;
  readonly uids: ReadonlyMap<string, string>;
}

/** One shard over all its epochs: starts it, seeds it, and starts it again when it is lost. */
export class Shard {
  readonly index: number;
  readonly quarantine = new Quarantine();
  readonly restarts = new Map<LostReason, number>();
  readonly #context: ShardContext;
  readonly #started = Promise.withResolvers<void>();
  #life: Life | undefined;
  /** 0 before the first start. */
  #epoch = 0;
  #up = false;
  #everUp = false;
  #upSince = 0;
  #lossesInRow = 0;
  #hangsInRow = 0;
  #restart: Cancel | undefined;
  #stopped = false;
  /** Seconds of CPU of the threads that were lost. */
  #spent = 0;

  constructor(index: number, context: ShardContext) {
    this.index = index;
    this.#context = context;
  }

  get up(): boolean {
    return this.#up;
  }

  get waiting(): number {
    return this.#life?.channel.waiting ?? 0;
  }

  get unacked(): number {
    return this.#life?.channel.unacked ?? 0;
  }

  /** Seconds of CPU of all its threads until now. */
  get cpu(): number {
    return this.#spent + (this.#open?.cpu ?? 0);
  }

  start(): Promise<void> {
    void this.#begin();
    return this.#started.promise;
  }

  stop(): void {
    this.#stopped = true;
    this.#up = false;
    this.#restart?.();
    const error = new TranslatorError("ABORTED", "the shards are being stopped");
    this.#life?.end(error);
    // Before the first start nobody waits for it, and nobody would take the rejection.
    if (this.#epoch > 0 && !this.#everUp) this.#started.reject(error);
  }

  isUp(identity: Identity): boolean {
    return this.#up && !this.quarantine.mayLack(identity);
  }

  offer(kept: Kept): void {
    if (this.quarantine.size === 0 || !this.quarantine.has(keyOf(kept))) this.#open?.channel.offer(kept);
    else if (kept.type === "delete") {
      this.quarantine.release(keyOf(kept));
      if (this.#up) this.#context.parts.on.restored(this.index);
    }
  }

  inOrder(message: InOrder): void {
    this.#open?.channel.inOrder(message);
  }

  /** Resolves once the shard has handled everything before this; at once if it is down: then it is told anew. */
  caughtUp(): Promise<void> {
    return this.#open?.caughtUp() ?? Promise.resolve();
  }

  known(entry: Known): void {
    this.#open?.channel.known(entry);
  }

  forget(id: string): void {
    this.#open?.channel.forget(id);
  }

  tell(message: Extract<AtOnce, { type: "kept" | "letGo" }>): void {
    this.#open?.channel.atOnce(message);
  }

  want(message: Extract<AtOnce, { type: "want" }>): Promise<Wanted> {
    const life = this.#open;
    if (life !== undefined && this.#up) return life.want(message);
    return Promise.resolve({ type: "stale", id: message.id, resource: message.resource });
  }

  explain(query: ExplainQuery): Promise<readonly Explained[]> {
    const life = this.#open;
    if (life !== undefined && this.#up) return life.explain(query);
    return Promise.reject(new TranslatorError("SHARD_LOST", `shard ${this.index} is being restarted`));
  }

  get #open(): Life | undefined {
    return this.#life?.isOpen === true ? this.#life : undefined;
  }

  async #begin(): Promise<void> {
    const { clock, links, on, patience = defaultPatience, freeRequests = none } = this.#context.parts;
    const options = this.#context.options();
    const epoch = ++this.#epoch;
    const life = new Life({
      ...{ epoch, clock, freeRequests },
      on: { ...on, nodes: (cluster, isWanted) => on.nodes(this.index, cluster, isWanted) },
      patience: Math.min(patience * 2 ** this.#hangsInRow, Math.max(patience, maxPatience)),
      settled: (token) => this.#context.settlements.answered(token, this.index),
      lost: (reason, detail) => this.#lose(life, reason, detail),
    });
    this.#life = life;
    let link: ShardLink;
    try {
      link = await links.start({ epoch, options: { ...options, shard: this.index } }, life);
    } catch (error) {
      return life.lost("start", error instanceof Error ? error.message : String(error));
    }
    if (life.open(link)) this.#seed(life, options);
  }

  #seed(life: Life, started: Configured): void {
    const { parts, uids, settlements } = this.#context;
    const options = this.#context.options();
    const content = {
      configured: options === started ? undefined : options,
      uids,
      known: parts.knownOf(this.index),
      objects: parts.objectsOf(this.index),
      losses: settlements.losses(),
      settlements: [...settlements.all()].filter(({ shards }) => shards.has(this.index)),
      quarantine: this.quarantine,
    };
    seed(life.channel, content, () => this.#restored());
  }

  #restored(): void {
    const { clock, log, on } = this.#context.parts;
    this.#up = true;
    this.#upSince = clock.now();
    this.quarantine.survived();
    if (this.restarts.size > 0) {
      log.info({ shard: this.index, epoch: this.#epoch }, "shard restored");
      on.restored(this.index);
    }
    this.#everUp = true;
    this.#started.resolve();
  }

  #lose(life: Life, reason: LostReason, detail: string): void {
    const { clock, log, on } = this.#context.parts;
    const wasUp = this.#up;
    this.#up = false;
    const unanswered = life.channel.unanswered();
    const doing = life.doing();
    this.#spent += life.cpu;
    life.end(new TranslatorError("SHARD_LOST", `shard ${this.index} was lost: ${detail}`));
    if (this.#stopped) return;
    this.restarts.set(reason, (this.restarts.get(reason) ?? 0) + 1);
    if (wasUp && clock.now() - this.#upSince >= healthy) this.#recover();
    const delay = this.#lossesInRow === 0 ? 0 : Math.min(firstDelay * 2 ** (this.#lossesInRow - 1), maxDelay);
    this.#lossesInRow++;
    if (reason === "hang") this.#hangsInRow++;
    const advice = "its keys are frozen until it is back; if this repeats, report it with this log";
    log.warn({ shard: this.index, epoch: this.#epoch, reason, detail, delay, advice }, "shard lost");
    if (reason !== "start" && reason !== "protocol") this.#suspect(unanswered, doing);
    if (reason === "start" && !this.#everUp) {
      this.#started.reject(new TranslatorError("SHARD_LOST", `shard ${this.index} did not start: ${detail}`));
      return;
    }
    on.lost(this.index, reason);
    this.#restart = clock.after(delay, () => void this.#begin());
  }

  #recover(): void {
    this.#lossesInRow = this.#hangsInRow = 0;
    this.quarantine.recovered();
  }

  #suspect(unanswered: readonly Kept[], doing: readonly KeptKey[]): void {
    const wall = this.#context.parts.clock.wall();
    const known = this.quarantine.diedDoing(doing, wall);
    for (const poison of known) this.#report(poison);
    const poison = known.length > 0 ? undefined : this.quarantine.died(unanswered, wall);
    if (poison !== undefined) this.#report(poison);
  }

  #report(poison: Quarantined): void {
    const { log, on } = this.#context.parts;
    const { cluster, kind, namespace, name } = poison;
    const advice =
      "this object ends its shard and is kept from it; what it may stand for is frozen; delete it, report it";
    log.error({ shard: this.index, cluster, kind, namespace, name, advice }, "object quarantined");
    on.quarantined(poison);
  }
}
