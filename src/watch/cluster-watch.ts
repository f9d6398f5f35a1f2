import { TranslatorError } from "../errors.ts";
import type { ObjectReaders } from "../protobuf/object-reader.ts";
import { WireError } from "../protobuf/wire-error.ts";
import type { Clock, Log, Random } from "../runtime.ts";
import { printable } from "./api-status.ts";
import type { Kind, KindHealth, WatchEvent } from "./events.ts";
import { FirstAttempts } from "./first-attempts.ts";
import { identified } from "./identified.ts";
import { KindWatch } from "./kind-watch.ts";
import { scopedRows, type Scope } from "./kinds.ts";
import { KnownKeys } from "./known-keys.ts";
import type { KubeConnection } from "./kube-connection.ts";
import type { ReflectorEvent } from "./reflector.ts";
import { Sessions } from "./sessions.ts";
import type { KubeTransport } from "./transport.ts";
import { Turns } from "./turns.ts";

/** What a watch needs to know of a cluster; how it is reached is for `connect` to know. */
export interface WatchedAs extends Scope {
  readonly name: string;
}

export interface ClusterWatchOptions<Cluster extends WatchedAs> {
  readonly cluster: Cluster;
  /** What is watched from the start; `follow` adds to it. */
  readonly kinds: readonly Kind[];
  /** One set for all clusters of a process: fingerprints of different sets cannot be compared. */
  readonly readers: ObjectReaders;
  /** Makes the session's own transport, until `signal`. Rejects with `KUBE_CREDENTIALS`, among others; is tried again. */
  readonly connect: (cluster: Cluster, signal: AbortSignal) => Promise<KubeConnection>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called synchronously. What it throws is a bug: logged, and the watch goes on; a `WireError` of the object ends it. */
  readonly emit: (event: WatchEvent) => void;
  readonly onFault: (error: unknown) => void;
  /** One for all clusters of a process, so that they share the event loop; a lone cluster has its own. */
  readonly turns?: Turns;
  /** Another cluster answers than the one with which the session began, or would by now; nothing of it is heard. */
  readonly onOtherIdentity?: () => void;
  /** A server sent what cannot be read. */
  readonly onUnreadable?: (kind: Kind) => void;
  /** The first attempt of these kinds is over: of those watched from the start together, of one added by itself. */
  readonly onFirstAttemptOver?: (kinds: readonly Kind[]) => void;
}

/** One cluster being watched. */
export interface ClusterWatch<Cluster extends WatchedAs = WatchedAs> {
  /** Of each watched kind. */
  health(): Readonly<Partial<Record<Kind, KindHealth>>>;
  /**
   * Each kind is synced or has failed once, or the cluster has sent nothing for 10 s: the first reconcile of a term
   * waits no longer. Becomes false again only when a kind is added.
   */
  readonly firstAttemptOver: boolean;
  /** Why a new session could not take the place of the one that goes on; undefined: none is waiting. */
  readonly trouble: string | undefined;
  /** Its address or credentials are others now: a new session proves itself, then the old one ends. */
  renew(cluster: Cluster): void;
  /** Watches one more kind from now on. */
  follow(kind: Kind): void;
  /** Watches this kind no more: nothing is said of it, and whoever was told of its objects forgets them. */
  unfollow(kind: Kind): void;
  /** Another scope, say: everything is listed anew, by a session that may find another cluster under this name. */
  restart(cluster: Cluster): void;
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
  readonly #attempts: FirstAttempts;
  readonly #sessions: Sessions<Cluster>;
  /** Of each watched kind, what the later stages have been told of, over all sessions. */
  readonly #keys: Map<Kind, KnownKeys>;
  /** Empty until the cluster's identity is known. */
  readonly #kinds = new Map<Kind, KindWatch>();
  /** What the kinds are listed in now; undefined while no session has begun. */
  #scope: Scope | undefined;
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
    this.#attempts = new FirstAttempts(clock, kinds, (over) => options.onFirstAttemptOver?.(over));
    this.#sessions = new Sessions({
      ...{ cluster, connect: options.connect, clock, random: options.random, log: this.#log },
      turns: this.#turns,
      seen: () => [...this.#kinds.values()].flatMap((kind) => kind.seen()),
      began: (connection, uid, next) => this.#follow(connection, uid, next),
      renewed: (connection, uid) => this.#goOn(connection, uid),
      failed: (error) => this.#notBegun(error),
      otherIdentity: () => options.onOtherIdentity?.(),
      onFault: (error, message) => this.#fault(error, message),
    });
    this.#sessions.begin();
  }

  get firstAttemptOver(): boolean {
    return this.#attempts.over;
  }

  get trouble(): string | undefined {
    return this.#sessions.trouble;
  }

  health(): Readonly<Partial<Record<Kind, KindHealth>>> {
    return Object.fromEntries([...this.#keys.keys()].map((kind) => [kind, this.#healthOf(kind)]));
  }

  follow(kind: Kind): void {
    if (this.#keys.has(kind)) return;
    this.#keys.set(kind, new KnownKeys());
    this.#attempts.follow(kind);
    if (this.#scope !== undefined) this.#watch(kind, this.#scope).start();
  }

  unfollow(kind: Kind): void {
    this.#kinds.get(kind)?.stop();
    this.#kinds.delete(kind);
    this.#keys.delete(kind);
    this.#attempts.unfollow(kind);
  }

  renew(cluster: Cluster): void {
    this.#sessions.renew(cluster);
  }

  restart(cluster: Cluster): void {
    this.#endKinds();
    this.#since = this.#options.clock.wall();
    this.#sessions.restart(cluster);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#attempts.stop();
    this.#endKinds();
    await this.#sessions.stop();
  }

  #healthOf(kind: Kind): KindHealth {
    const watch = this.#kinds.get(kind);
    if (watch !== undefined) return watch.health();
    const { unready } = this.#sessions;
    if (unready === undefined) return { state: "listing", since: this.#since, objects: 0 };
    return { state: "degraded", objects: 0, ...unready };
  }

  /** A session has begun. */
  #follow(connection: KubeConnection, uid: string, next: WatchedAs): void {
    const { clock } = this.#options;
    this.#endKinds();
    this.#scope = next;
    this.#transport = this.#identified(connection, uid);
    this.#attempts.heard();
    const watches = [...this.#keys.keys()].map((kind) => this.#watch(kind, next));
    this.#emit({ type: "identity", ...this.#origin(), uid, at: clock.now() });
    for (const watch of watches) watch.start();
    this.#attempts.begun();
  }

  #identified(connection: KubeConnection, uid: string): KubeTransport {
    const send = identified(connection, uid, this.#options.clock);
    return (request) =>
      send(request).catch((error: unknown) => {
        if (error instanceof TranslatorError && error.code === "KUBE_IDENTITY")
          this.#options.onOtherIdentity?.();
        throw error;
      });
  }

  #watch(kind: Kind, scope: Scope): KindWatch {
    const { clock, random, readers, onUnreadable } = this.#options;
    const watch = new KindWatch({
      parts: scopedRows(kind, scope, readers),
      transport: (request) => this.#transport(request),
      keys: this.#keys.get(kind) ?? new KnownKeys(),
      ...{ clock, random, log: this.#log, turns: this.#turns },
      say: (event) => this.#say(kind, event),
      unreadable: () => onUnreadable?.(kind),
      heard: () => this.#attempts.heard(),
      onFault: (error) => this.#fault(error, "the watch of a kind failed through a bug"),
    });
    this.#kinds.set(kind, watch);
    return watch;
  }

  /** A session has taken the place of another one of the same cluster: what was seen goes on from where it was. */
  #goOn(connection: KubeConnection, uid: string): void {
    this.#transport = this.#identified(connection, uid);
    this.#emit({ type: "identity", ...this.#origin(), uid, at: this.#options.clock.now() });
    for (const kind of this.#kinds.values()) kind.renew();
  }

  #notBegun(error: TranslatorError): void {
    for (const kind of this.#keys.keys())
      this.#emit({ type: "degraded", ...this.#origin(), kind, at: this.#options.clock.now(), error });
    this.#attempts.end();
  }

  #endKinds(): void {
    for (const kind of this.#kinds.values()) kind.stop();
    this.#kinds.clear();
    this.#scope = undefined;
  }

  #say(kind: Kind, event: ReflectorEvent): void {
    this.#emit({ ...event, ...this.#origin(), kind });
    if (event.type === "synced" || event.type === "degraded") this.#attempts.settled(kind);
  }

  #emit(event: WatchEvent): void {
    if (this.#isStopped) return;
    try {
      this.#options.emit(event);
    } catch (error) {
      if (error instanceof WireError) throw error;
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
