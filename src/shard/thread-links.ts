import { MessageChannel } from "node:worker_threads";
import type { MessagePort, ResourceLimits } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { TranslatorError } from "../errors.ts";
import type { KeptKey } from "../filter/kept.ts";
import type { Cancel, Clock, Log } from "../runtime.ts";
import { isReady } from "./check-message.ts";
import { newDoing, readDoing } from "./doing.ts";
import type { LinkEvents, LinkStart, LostReason, ShardLink, ShardLinks } from "./link.ts";
import { messagesOf, postParcel } from "./parcel.ts";
import type { Parcel } from "./parcel.ts";

/** What the task of one shard is given; it lives as long as the shard. */
export interface ShardTask extends LinkStart {
  readonly port: MessagePort;
  /** Where the shard says what it works on. */
  readonly doing: SharedArrayBuffer;
  /** Two 64-bit floats: seconds of CPU that it has used, and the id of its thread. */
  readonly cpu: SharedArrayBuffer;
}

export interface ThreadLinksParts {
  /** Shards that are alive at the same time. */
  readonly count: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Exports `runShard(task: ShardTask): Promise<void>`. */
  readonly workerFile?: URL;
  readonly resourceLimits?: ResourceLimits;
  /** Milliseconds until `ready` must have been said. */
  readonly startDeadline?: number;
}

/** Bytes after which the rest waits for another turn: about 5 ms of changes. */
const heardAtOnce = 64 * 1024;

const defaultStartDeadline = 30_000;

/** `tsc` renames the imports of what it emits, not this. */
function shardWorkerFile(): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("../../workers/shard-worker.ts", import.meta.url)
    : new URL("../../workers/shard-worker.js", import.meta.url);
}

/**
 * Shards in worker threads: one Piscina pool, one task that lasts for each shard, one MessagePort for each task. The
 * owner of Piscina.
 *
 * Each start is a task of its own with its own port, so that the worker that Piscina puts in a dead one's place starts
 * empty and hears nothing of what was meant for the dead one.
 */
export class ThreadLinks implements ShardLinks {
  readonly #parts: ThreadLinksParts;
  readonly #pool: Piscina;
  readonly #links = new Set<ThreadLink>();

  constructor(parts: ThreadLinksParts) {
    const { count, log, workerFile = shardWorkerFile(), resourceLimits } = parts;
    this.#parts = parts;
    this.#pool = new Piscina({
      filename: fileURLToPath(workerFile),
      name: "runShard",
      // All at once: a worker that cannot load would otherwise leave its task pending for ever.
      minThreads: count,
      maxThreads: count,
      // The default parks an idle worker in Atomics.wait, where neither timers nor ports run.
      atomics: "disabled",
      recordTiming: false,
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
    });
    // Without a listener, an error of a worker that has no task would end the process.
    this.#pool.on("error", (error: Error) => {
      const advice = "a new worker takes its place; if this repeats, report it with this log";
      log.warn({ error: error.message, advice }, "idle worker failed");
    });
  }

  async start(start: LinkStart, on: LinkEvents): Promise<ShardLink> {
    const link = new ThreadLink(this.#pool, this.#parts.clock, start, on);
    this.#links.add(link);
    void link.ended.then(() => this.#links.delete(link));
    const deadline = this.#parts.startDeadline ?? defaultStartDeadline;
    const cancel = this.#parts.clock.after(deadline, () => link.giveUp(`not ready within ${deadline} ms`));
    try {
      await link.ready;
    } finally {
      cancel();
    }
    return link;
  }

  async close(): Promise<void> {
    for (const link of this.#links) link.silence();
    await this.#pool.destroy();
  }
}

class ThreadLink implements ShardLink {
  readonly #on: LinkEvents;
  readonly #clock: Clock;
  readonly #port: MessagePort;
  #parcel: Uint8Array[] = [];
  /** What has come and has not been heard; the first may be heard in part. */
  #inbox: Generator<Uint8Array, void, void>[] = [];
  #sending: Cancel | undefined;
  readonly #abort = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  /** Resolves when the task has ended, however it did. */
  readonly ended: Promise<void>;
  readonly #doing = newDoing();
  readonly #cpu = new Float64Array(new SharedArrayBuffer(16));
  readonly #pool: Piscina;
  #isReady = false;
  #silent = false;

  constructor(pool: Piscina, clock: Clock, start: LinkStart, on: LinkEvents) {
    const { port1, port2 } = new MessageChannel();
    this.#pool = pool;
    this.#on = on;
    this.#clock = clock;
    this.#port = port1;
    port1.on("message", (parcel: Parcel) => {
      this.#inbox.push(messagesOf(parcel));
      if (this.#inbox.length === 1) this.#listen();
    });
    const task: ShardTask = { ...start, port: port2, doing: this.#doing, cpu: this.#cpu.buffer };
    this.ended = pool.run(task, { transferList: [port2], signal: this.#abort.signal }).then(
      () => this.#lost("exit", "the worker's task ended"),
      (error: unknown) => this.#lost(reasonOf(error), error instanceof Error ? error.message : String(error)),
    );
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  doing(): readonly KeptKey[] {
    return readDoing(this.#doing);
  }

  cpu(): number {
    return this.#cpu[0] ?? 0;
  }

  used(): Promise<number> | undefined {
    const worker = this.#pool.threads.find(({ threadId }) => threadId === this.#cpu[1]);
    return worker?.cpuUsage().then(
      ({ user, system }) => (user + system) / 1e6,
      // It ended meanwhile, which its task tells.
      () => 0,
    );
  }

  post(bytes: Uint8Array): void {
    this.#parcel.push(bytes);
    this.#sending ??= this.#clock.soon(() => this.flush());
  }

  flush(): void {
    this.#sending?.();
    this.#sending = undefined;
    if (this.#silent || this.#parcel.length === 0) return;
    const parcel = this.#parcel;
    this.#parcel = [];
    postParcel(this.#port, parcel);
  }

  async close(): Promise<void> {
    this.silence();
    this.#abort.abort();
    await this.ended;
  }

  giveUp(detail: string): void {
    this.#lost("start", detail);
    this.#abort.abort();
  }

  /** Nothing more is heard of it. */
  silence(): void {
    if (this.#silent) return;
    this.#silent = true;
    this.#sending?.();
    this.#port.close();
    this.#ready.reject(new TranslatorError("ABORTED", "the shard was closed"));
  }

  /** Hears what has come, the rest of it in further turns: a shard that judged a whole cluster has much to say. */
  #listen(): void {
    let heard = 0;
    for (const parcel of this.#inbox) {
      for (let next = parcel.next(); next.done !== true; next = parcel.next()) {
        this.#hear(next.value);
        heard += next.value.byteLength;
        if (heard >= heardAtOnce) return void this.#clock.soon(() => this.#listen());
      }
    }
    this.#inbox = [];
  }

  #hear(bytes: Uint8Array): void {
    if (this.#silent) return;
    if (this.#isReady) return this.#on.message(bytes);
    if (!isReady(bytes)) return this.giveUp("its first word was not that it is ready");
    this.#isReady = true;
    this.#ready.resolve();
  }

  #lost(reason: LostReason, detail: string): void {
    if (this.#silent) return;
    if (!this.#isReady) this.#ready.reject(new TranslatorError("SHARD_LOST", detail));
    this.silence();
    if (this.#isReady) this.#on.lost(reason, detail);
  }
}

/** Piscina rejects a task with what its worker threw, or with an error of its own that has no code. */
function reasonOf(error: unknown): LostReason {
  if (!(error instanceof Error)) return "error";
  if ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") return "memory";
  return error.message.startsWith("worker exited with code") ? "exit" : "error";
}
