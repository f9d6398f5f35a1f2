import { TranslatorError } from "../errors.ts";
import type { Cancel, Clock, Log, Random } from "../runtime.ts";
import { printable } from "./api-status.ts";
import { backoffLimit, believedRetryAfter } from "./backoff.ts";
import type { Kind, KindHealth, WatchEvent } from "./events.ts";
import { FirstAttempt } from "./first-attempt.ts";
import { kindRows, type WatchedKind } from "./kinds.ts";
import { KnownKeys } from "./known-keys.ts";
import { identified } from "./identified.ts";
import type { KubeConnection } from "./kube-connection.ts";
import { readIdentity } from "./read-identity.ts";
import { Reflector, type ReflectorEvent } from "./reflector.ts";
import { Turns } from "./turns.ts";

export interface ClusterWatchOptions<Cluster extends { readonly name: string }> {
  readonly cluster: Cluster;
  readonly kinds: readonly WatchedKind[];
  /** Obtains credentials and makes the session's own transport. Rejects with `KUBE_CREDENTIALS`; is tried again. */
  readonly connect: (cluster: Cluster) => Promise<KubeConnection>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called synchronously. What it throws is a bug: logged, handed to `onFault`, and the watch goes on. */
  readonly emit: (event: WatchEvent) => void;
  readonly onFault: (error: unknown) => void;
  /** One for all clusters of a process, so that they share the event loop; a lone cluster has its own. */
  readonly turns?: Turns;
  /** Called once, when `firstAttemptOver` becomes true. */
  readonly onFirstAttemptOver?: () => void;
}

/** One cluster being watched. */
export interface ClusterWatch {
  /** Of each watched kind. */
  health(): Readonly<Partial<Record<Kind, KindHealth>>>;
  /**
   * Each kind is synced or has failed once, or the cluster has sent nothing for 10 s: the first reconcile of a term
   * waits no longer. Never becomes false again.
   */
  readonly firstAttemptOver: boolean;
  /** Nothing is emitted any more; requests end; resolves when the connection is closed. */
  stop(): Promise<void>;
}

/**
 * Watches one cluster: connects, says who the cluster is, then follows each kind by itself. What fails is degraded, with
 * the reason, and tried again with backoff; it never reaches another cluster or another kind.
 */
export function startCluster<Cluster extends { readonly name: string }>(
  options: ClusterWatchOptions<Cluster>,
): ClusterWatch {
  return new ClusterSession(options, 1);
}

class ClusterSession<Cluster extends { readonly name: string }> implements ClusterWatch {
  readonly #options: ClusterWatchOptions<Cluster>;
  readonly #session: number;
  readonly #log: Log;
  readonly #turns: Turns;
  readonly #firstAttempt: FirstAttempt;
  readonly #stopped = new AbortController();
  readonly #since: number;
  /** Empty until the cluster's identity is known. */
  #reflectors: ReadonlyMap<WatchedKind, Reflector> = new Map();
  #settledKinds = new Set<Kind>();
  #connection: KubeConnection | undefined;
  #retry: Cancel = () => {};
  #failures = 0;
  /** Why the session has not begun; since when. */
  #unready: { readonly reason: string; readonly since: number } | undefined;

  constructor(options: ClusterWatchOptions<Cluster>, session: number) {
    const { clock, log, cluster } = options;
    this.#options = options;
    this.#session = session;
    this.#log = log.child({ cluster: cluster.name });
    this.#turns = options.turns ?? new Turns(clock);
    this.#since = clock.wall();
    this.#firstAttempt = new FirstAttempt(clock, () => options.onFirstAttemptOver?.());
    this.#begin();
  }

  get firstAttemptOver(): boolean {
    return this.#firstAttempt.over;
  }

  health(): Readonly<Partial<Record<Kind, KindHealth>>> {
    return Object.fromEntries(this.#options.kinds.map((kind) => [kind, this.#healthOf(kind)]));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#retry();
    this.#firstAttempt.stop();
    for (const reflector of this.#reflectors.values()) reflector.stop();
    await this.#connection?.close();
  }

  #healthOf(kind: WatchedKind): KindHealth {
    const reflector = this.#reflectors.get(kind);
    if (reflector !== undefined) return reflector.health();
    if (this.#unready === undefined) return { state: "listing", since: this.#since, objects: 0 };
    return { state: "degraded", objects: 0, ...this.#unready };
  }

  #begin(): void {
    this.#open().catch((error: unknown) => {
      if (!this.#stopped.signal.aborted) this.#notBegun(error);
    });
  }

  async #open(): Promise<void> {
    const { cluster, connect, clock } = this.#options;
    const { signal } = this.#stopped;
    const connection = await connect(cluster);
    try {
      const uid = await readIdentity(connection, clock, signal);
      if (!signal.aborted) this.#follow(connection, uid);
    } finally {
      if (this.#connection !== connection) await connection.close();
    }
  }

  #follow(connection: KubeConnection, uid: string): void {
    const { kinds, clock, random } = this.#options;
    this.#connection = connection;
    this.#unready = undefined;
    this.#firstAttempt.heard();
    const reflector = (kind: WatchedKind): Reflector =>
      new Reflector({
        row: kindRows[kind],
        transport: identified(connection, uid, clock),
        keys: new KnownKeys(),
        clock,
        random,
        log: this.#log,
        turns: this.#turns,
        say: (event) => this.#say(kind, event),
        heard: () => this.#firstAttempt.heard(),
        onFault: (error) => this.#fault(error, "the watch of a kind failed through a bug"),
      });
    this.#reflectors = new Map(kinds.map((kind) => [kind, reflector(kind)]));
    this.#emit({ type: "identity", ...this.#origin(), uid, at: clock.now() });
    for (const started of this.#reflectors.values()) started.start();
    if (kinds.length === 0) this.#firstAttempt.end();
  }

  #notBegun(error: unknown): void {
    const { clock, random, kinds } = this.#options;
    const known = this.#asTranslatorError(error);
    const since = this.#unready?.since ?? clock.wall();
    const reason = known.message;
    if (this.#unready === undefined) {
      const advice =
        "check this cluster's kubeconfig, credentials and API server; what is held of it stays as it is";
      this.#log.warn({ code: known.code, reason, advice }, "cluster cannot be watched");
      for (const kind of kinds) {
        this.#emit({ type: "degraded", ...this.#origin(), kind, at: clock.now(), error: known });
      }
    }
    this.#unready = { reason, since };
    this.#firstAttempt.end();
    this.#failures++;
    const wait = believedRetryAfter(known) + random() * backoffLimit(this.#failures);
    this.#retry = clock.after(wait, () => this.#begin());
  }

  #say(kind: WatchedKind, event: ReflectorEvent): void {
    this.#emit({ ...event, ...this.#origin(), kind });
    if (event.type !== "synced" && event.type !== "degraded") return;
    this.#settledKinds.add(kind);
    if (this.#settledKinds.size === this.#options.kinds.length) this.#firstAttempt.end();
  }

  #emit(event: WatchEvent): void {
    if (this.#stopped.signal.aborted) return;
    try {
      this.#options.emit(event);
    } catch (error) {
      this.#fault(error, "a later stage failed on a watch event");
    }
  }

  #fault(error: unknown, message: string): void {
    const advice = "this is a bug: report it with the lines before this one";
    this.#log.error({ error: printable(String(error)), advice }, message);
    this.#options.onFault(error);
  }

  #asTranslatorError(error: unknown): TranslatorError {
    if (error instanceof TranslatorError) return error;
    this.#fault(error, "connecting to a cluster failed through a bug");
    return new TranslatorError("KUBE_CONNECTION", "an internal error while connecting", { cause: error });
  }

  #origin(): { readonly cluster: string; readonly session: number } {
    return { cluster: this.#options.cluster.name, session: this.#session };
  }
}
