import type { TranslatorError } from "../errors.ts";
import type { Clock, Log, Random } from "../runtime.ts";
import { printable } from "./api-status.ts";
import type { Kind, KindHealth, WatchEvent } from "./events.ts";
import { FirstAttempt } from "./first-attempt.ts";
import { identified } from "./identified.ts";
import { KindWatch } from "./kind-watch.ts";
import { kindRows, partsOf, type WatchedKind } from "./kinds.ts";
import { KnownKeys } from "./known-keys.ts";
import type { KubeConnection } from "./kube-connection.ts";
import type { ReflectorEvent } from "./reflector.ts";
import { Sessions } from "./sessions.ts";
import type { KubeTransport } from "./transport.ts";
import { Turns } from "./turns.ts";

/** What a watch needs to know of a cluster; how it is reached is for `connect` to know. */
export interface WatchedAs {
  readonly name: string;
  /** Empty, or left out: all. */
  readonly namespaces?: readonly string[];
}

export interface ClusterWatchOptions<Cluster extends WatchedAs> {
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
export interface ClusterWatch<Cluster extends WatchedAs = WatchedAs> {
  /** Of each watched kind. */
  health(): Readonly<Partial<Record<Kind, KindHealth>>>;
  /**
   * Each kind is synced or has failed once, or the cluster has sent nothing for 10 s: the first reconcile of a term
   * waits no longer. Never becomes false again.
   */
  readonly firstAttemptOver: boolean;
  /** Why a new session could not take the place of the one that goes on; undefined: none is waiting. */
  readonly trouble: string | undefined;
  /** Its address or credentials are others now: a new session proves itself, then the old one ends. */
  renew(cluster: Cluster): void;
  /** Everything is listed anew by a session that may find another cluster under this name. */
  restart(): void;
  /** Nothing is emitted any more; requests end; resolves when the connection is closed. */
  stop(): Promise<void>;
}

/**
 * Watches one cluster: connects, says who the cluster is, then follows each kind by itself. What fails is degraded, with
 * the reason, and tried again with backoff; it never reaches another cluster or another kind.
 */
export function startCluster<Cluster extends WatchedAs>(
  options: ClusterWatchOptions<Cluster>,
): ClusterWatch<Cluster> {
  return new WatchedCluster(options);
}

class WatchedCluster<Cluster extends WatchedAs> implements ClusterWatch<Cluster> {
  readonly #options: ClusterWatchOptions<Cluster>;
  readonly #log: Log;
  readonly #turns: Turns;
  readonly #firstAttempt: FirstAttempt;
  readonly #sessions: Sessions<Cluster>;
  /** What the later stages have been told of, over all sessions. */
  readonly #keys: ReadonlyMap<WatchedKind, KnownKeys>;
  readonly #settledKinds = new Set<Kind>();
  /** Empty until the cluster's identity is known. */
  #kinds: ReadonlyMap<WatchedKind, KindWatch> = new Map();
  /** What the kinds are listed in now. */
  #namespaces: readonly string[] = [];
  #transport: KubeTransport = () => Promise.reject(new Error("no session has begun"));
  #since: number;
  #isStopped = false;

  constructor(options: ClusterWatchOptions<Cluster>) {
    const { clock, log, cluster, kinds } = options;
    this.#options = options;
    this.#log = log.child({ cluster: cluster.name });
    this.#turns = options.turns ?? new Turns(clock);
    this.#since = clock.wall();
    this.#keys = new Map(kinds.map((kind) => [kind, new KnownKeys()]));
    this.#firstAttempt = new FirstAttempt(clock, () => options.onFirstAttemptOver?.());
    this.#sessions = new Sessions({
      ...{ cluster, connect: options.connect, clock, random: options.random, log: this.#log },
      turns: this.#turns,
      seen: (next) => this.#seen(next),
      began: (connection, uid, next) => this.#follow(connection, uid, next),
      renewed: (connection, uid, next) => this.#goOn(connection, uid, next),
      failed: (error) => this.#notBegun(error),
      onFault: (error, message) => this.#fault(error, message),
    });
    this.#sessions.begin();
  }

  get firstAttemptOver(): boolean {
    return this.#firstAttempt.over;
  }

  get trouble(): string | undefined {
    return this.#sessions.trouble;
  }

  health(): Readonly<Partial<Record<Kind, KindHealth>>> {
    return Object.fromEntries(this.#options.kinds.map((kind) => [kind, this.#healthOf(kind)]));
  }

  renew(cluster: Cluster): void {
    this.#sessions.renew(cluster);
  }

  restart(): void {
    this.#endKinds();
    this.#since = this.#options.clock.wall();
    this.#sessions.restart();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#firstAttempt.stop();
    this.#endKinds();
    await this.#sessions.stop();
  }

  #healthOf(kind: WatchedKind): KindHealth {
    const watch = this.#kinds.get(kind);
    if (watch !== undefined) return watch.health();
    const { unready } = this.#sessions;
    if (unready === undefined) return { state: "listing", since: this.#since, objects: 0 };
    return { state: "degraded", objects: 0, ...unready };
  }

  #seen({ namespaces = [] }: WatchedAs): ReturnType<KindWatch["seen"]> {
    if (!sameNames(namespaces, this.#namespaces)) {
      return this.#options.kinds.flatMap((kind) => partsOf(kindRows[kind], namespaces));
    }
    return [...this.#kinds.values()].flatMap((kind) => kind.seen());
  }

  /** A session has begun. */
  #follow(connection: KubeConnection, uid: string, { namespaces = [] }: WatchedAs): void {
    const { kinds, clock, random } = this.#options;
    this.#endKinds();
    this.#namespaces = namespaces;
    this.#transport = identified(connection, uid, clock);
    this.#firstAttempt.heard();
    const watchOf = (kind: WatchedKind): KindWatch =>
      new KindWatch({
        parts: partsOf(kindRows[kind], namespaces),
        transport: (request) => this.#transport(request),
        keys: this.#keys.get(kind) ?? new KnownKeys(),
        ...{ clock, random, log: this.#log, turns: this.#turns },
        say: (event) => this.#say(kind, event),
        heard: () => this.#firstAttempt.heard(),
        onFault: (error) => this.#fault(error, "the watch of a kind failed through a bug"),
      });
    this.#kinds = new Map(kinds.map((kind) => [kind, watchOf(kind)]));
    this.#emit({ type: "identity", ...this.#origin(), uid, at: clock.now() });
    for (const kind of this.#kinds.values()) kind.start();
    if (kinds.length === 0) this.#firstAttempt.end();
  }

  /** A session has taken the place of another one of the same cluster: what was seen goes on from where it was. */
  #goOn(connection: KubeConnection, uid: string, cluster: WatchedAs): void {
    if (!sameNames(cluster.namespaces ?? [], this.#namespaces)) return this.#follow(connection, uid, cluster);
    this.#transport = identified(connection, uid, this.#options.clock);
    this.#emit({ type: "identity", ...this.#origin(), uid, at: this.#options.clock.now() });
    for (const kind of this.#kinds.values()) kind.renew();
  }

  #notBegun(error: TranslatorError): void {
    const { clock, kinds } = this.#options;
    for (const kind of kinds)
      this.#emit({ type: "degraded", ...this.#origin(), kind, at: clock.now(), error });
    this.#firstAttempt.end();
  }

  #endKinds(): void {
    for (const kind of this.#kinds.values()) kind.stop();
    this.#kinds = new Map();
  }

  #say(kind: WatchedKind, event: ReflectorEvent): void {
    this.#emit({ ...event, ...this.#origin(), kind });
    if (event.type !== "synced" && event.type !== "degraded") return;
    this.#settledKinds.add(kind);
    if (this.#settledKinds.size === this.#options.kinds.length) this.#firstAttempt.end();
  }

  #emit(event: WatchEvent): void {
    if (this.#isStopped) return;
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

  #origin(): { readonly cluster: string; readonly session: number } {
    return { cluster: this.#options.cluster.name, session: this.#sessions.number };
  }
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}
