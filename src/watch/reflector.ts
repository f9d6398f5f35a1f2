import { TranslatorError } from "../errors.ts";
import type { Cancel, Clock, Log, Random } from "../runtime.ts";
import { adviceFor } from "./advice.ts";
import type { Frame, Item } from "./decoder.ts";
import type { KindHealth, ObjectKey, Wire } from "./events.ts";
import { KindRequest } from "./kind-request.ts";
import type { KindRow } from "./kinds.ts";
import type { KnownKeys } from "./known-keys.ts";
import { asProtocolError } from "./protobuf/protocol-error.ts";
import { ReflectorTimers } from "./reflector-timers.ts";
import { initialState, type Effect, type Input, type ReflectorState } from "./reflector-state.ts";
import { step } from "./reflector-step.ts";
import type { KubeTransport } from "./transport.ts";
import type { Turns } from "./turns.ts";

/** What a reflector says; the cluster adds who it is. The order is that of `WatchEvent`. */
export type ReflectorEvent =
  | {
      readonly type: "apply";
      readonly key: ObjectKey;
      readonly wire: Wire;
      readonly listed: boolean;
      readonly at: number;
    }
  | { readonly type: "delete"; readonly key: ObjectKey; readonly relist: boolean; readonly at: number }
  | { readonly type: "synced"; readonly at: number }
  | { readonly type: "degraded"; readonly error: TranslatorError; readonly at: number };

export interface ReflectorOptions {
  readonly row: KindRow;
  readonly transport: KubeTransport;
  /** What earlier sessions of this kind said; goes on to the next one. */
  readonly keys: KnownKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly turns: Turns;
  /** Must not throw but what reading the object throws. */
  readonly say: (event: ReflectorEvent) => void;
  /** Called for each sign of life of the server. */
  readonly heard: () => void;
  /** The server sent what cannot be read: what was open has ended, and another list follows. */
  readonly unreadable: () => void;
  /** An error that no far side can cause: a bug. */
  readonly onFault: (error: unknown) => void;
}

/** Kubernetes is tested to 150,000 Pods a cluster; a server that sends more keys than this has no end. */
const maxObjects = 1_000_000;
/** Deletes said in one turn of the event loop, as bytes of a stream would be counted. */
const sweepBatch = { keys: 256, bytes: 128 * 1024 };

/**
 * Follows one kind in one cluster: drives the pure `step` with real requests and timers.
 *
 * Guarantees: `delete` with `relist` only after a complete list; after `stop` nothing is said. Whatever the server does
 * ends in a wait and another try, never in silence. Memory holds one item, one frame and the keys.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #requests: KindRequest;
  readonly #timers: ReflectorTimers;
  #state: ReflectorState = initialState;
  /** Ends what is open. A later one takes its place: what the older one still says is not heard. */
  #open = new AbortController();
  #sweeping: Promise<void> | undefined;
  #health: KindHealth;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#requests = new KindRequest(options);
    this.#health = { state: "listing", since: options.clock.wall(), objects: 0 };
    this.#timers = new ReflectorTimers({
      clock: options.clock,
      input: (input) => this.#input(input),
      probe: (signal) => this.#requests.probe(signal),
      onFault: options.onFault,
    });
  }

  start(): void {
    this.#input({ type: "start" });
  }

  stop(): void {
    this.#input({ type: "stop" });
  }

  /** The transport sends another way from now on. */
  renew(): void {
    this.#input({ type: "renewed" });
  }

  health(): KindHealth {
    const { course } = this.#state;
    const objects = this.#options.keys.size;
    if (this.#health.state !== "degraded") return { ...this.#health, objects };
    return { ...this.#health, objects, reason: course.cause?.message ?? this.#health.reason };
  }

  #input(input: Input): void {
    const { state, effects } = step(this.#state, input);
    this.#state = state;
    for (const effect of effects) {
      // An effect may, through what it says, have led to another input.
      if (this.#state.phase.at === "stopped" && effect.do !== "hangUp") return;
      this.#run(effect);
    }
    this.#timers.follow(this.#state);
  }

  #run(effect: Effect): void {
    switch (effect.do) {
      case "beginList":
        return this.#options.keys.beginList();
      case "readPage":
        return this.#openWith((signal) => this.#readPage(effect.token, signal));
      case "openWatchList":
        return this.#openWith((signal) => this.#watch("list", signal));
      case "openWatch":
        return this.#openWith((signal) => this.#watch({ resourceVersion: effect.resourceVersion }, signal));
      case "sweep":
        this.#sweeping = this.#sweep(this.#open.signal).catch(this.#options.onFault);
        return;
      case "hangUp":
        return this.#open.abort();
      case "wait":
        return this.#timers.wait(effect.atLeast + this.#options.random() * effect.upTo);
      case "saySynced":
        return this.#synced();
      case "sayDegraded":
        return this.#degraded(effect.error);
    }
  }

  #openWith(run: (signal: AbortSignal) => Promise<void>): void {
    this.#open.abort();
    const open = new AbortController();
    this.#open = open;
    run(open.signal).catch((error: unknown) => {
      if (open.signal.aborted) return;
      const known = this.#asTranslatorError(error);
      if (known.code === "KUBE_PROTOCOL") this.#options.unreadable();
      this.#input({ type: "failed", error: known });
    });
  }

  async #readPage(token: string, signal: AbortSignal): Promise<void> {
    const end = await this.#requests.page(token, this.#options.keys.list, signal, (item, at) => {
      if (!signal.aborted) this.#apply(item, at);
    });
    if (!signal.aborted) {
      this.#input({ type: "page", resourceVersion: end.resourceVersion, token: end.continue });
    }
  }

  async #watch(from: { readonly resourceVersion: string } | "list", signal: AbortSignal): Promise<void> {
    let early = true;
    let aliveTimer: Cancel = () => {};
    signal.addEventListener("abort", () => aliveTimer(), { once: true });
    const alive = (): void => {
      early = false;
      this.#input({ type: "alive" });
    };
    await this.#requests.watch(from, this.#options.keys.list, signal, {
      opened: () => {
        if (!signal.aborted) aliveTimer = this.#options.clock.after(1000, alive);
      },
      frame: (frame, at) => (signal.aborted ? undefined : this.#frame(frame, at)),
    });
    if (signal.aborted) return;
    aliveTimer();
    this.#input({ type: "closed", early });
  }

  #frame(frame: Frame, at: number): Promise<void> | undefined {
    this.#timers.framed();
    switch (frame.type) {
      case "error":
        throw frame.error;
      case "apply":
        this.#apply(frame.item, at);
        this.#input({ type: "event", resourceVersion: frame.resourceVersion });
        return undefined;
      case "delete":
        this.#options.keys.drop(frame.key);
        this.#options.say({ type: "delete", key: frame.key, relist: false, at });
        this.#input({ type: "event", resourceVersion: frame.resourceVersion });
        return undefined;
      case "bookmark":
        this.#input({
          type: "bookmark",
          resourceVersion: frame.resourceVersion,
          initialEnd: frame.initialEnd,
        });
        return this.#sweeping;
    }
  }

  #apply({ key, wire }: Item, at: number): void {
    const { keys, row, say } = this.#options;
    if (row.namespace !== undefined && key.namespace !== row.namespace)
      throw new TranslatorError("KUBE_PROTOCOL", `the server sent ${row.kind} of another namespace`);
    keys.see(key);
    if (keys.size > maxObjects) {
      throw new TranslatorError("KUBE_PROTOCOL", `the server sent more than ${maxObjects} ${row.kind}`);
    }
    say({ type: "apply", key, wire, listed: this.#state.phase.at !== "watch", at });
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { keys, clock, turns, say } = this.#options;
    const at = clock.now();
    let said = 0;
    for (const key of keys.takeUnseen()) {
      say({ type: "delete", key, relist: true, at });
      said++;
      if (said % sweepBatch.keys === 0) await turns.take(sweepBatch.bytes);
      if (signal.aborted) return;
    }
    this.#input({ type: "swept" });
  }

  #synced(): void {
    const { clock, log, row, keys, say } = this.#options;
    const { state } = this.#health;
    if (state !== "synced") {
      this.#health = { state: "synced", since: clock.wall(), objects: keys.size };
      if (state === "degraded") log.info({ kind: row.kind, objects: keys.size }, "kind is synced again");
    }
    this.#timers.synced();
    say({ type: "synced", at: clock.now() });
  }

  #degraded(error: TranslatorError): void {
    const { clock, log, row, keys, say } = this.#options;
    const reason = error.message;
    this.#health = { state: "degraded", since: clock.wall(), objects: keys.size, reason };
    log.warn({ kind: row.kind, code: error.code, reason, advice: adviceFor(error) }, "kind is degraded");
    say({ type: "degraded", at: clock.now(), error });
  }

  #asTranslatorError(error: unknown): TranslatorError {
    const known = asProtocolError("an object", error);
    if (known instanceof TranslatorError) return known;
    this.#options.onFault(error);
    const message = "an internal error while reading from the server";
    return new TranslatorError("KUBE_PROTOCOL", message, { cause: error });
  }
}
