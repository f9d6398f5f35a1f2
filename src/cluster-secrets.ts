import type { ClusterConfig, ClusterSecretsConfig } from "./config.ts";
import type { FoundCluster } from "./config/cluster-secret.ts";
import { FoundClusters } from "./found-clusters.ts";
import type { Clock, Log, Random } from "./runtime.ts";
import { FirstAttempt } from "./watch/first-attempt.ts";
import { identified } from "./watch/identified.ts";
import { secretsRow, type KindRow } from "./watch/kinds.ts";
import { KnownKeys } from "./watch/known-keys.ts";
import type { KubeConnection } from "./watch/kube-connection.ts";
import { Reflector, type ReflectorEvent } from "./watch/reflector.ts";
import { Sessions } from "./watch/sessions.ts";
import type { KubeTransport } from "./watch/transport.ts";
import type { Turns } from "./watch/turns.ts";

export interface ClusterSecretsParts {
  readonly settings: ClusterSecretsConfig;
  /** The cluster that holds them. */
  readonly home: ClusterConfig;
  /** As what that cluster is known, by the uid of its `kube-system`; undefined: whoever answers is it. */
  readonly known: () => string | undefined;
  readonly connect: (cluster: ClusterConfig, signal: AbortSignal) => Promise<KubeConnection>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly turns: Turns;
  /** Clusters have come, have gone or are reached another way. */
  readonly changed: () => void;
  /** They need not be waited for any more. */
  readonly moved: () => void;
  readonly fault: (error: unknown) => void;
  /** Default 1,000. */
  readonly mostSecrets?: number;
}

/**
 * Clusters out of labelled Secrets, on a session of their own. One goes only when its Secret is known to be gone: while
 * the list fails, those that are known stay, and which there are besides is unknown. Of another cluster than the known one
 * nothing is read.
 */
export class ClusterSecrets {
  readonly place: string;
  readonly #parts: ClusterSecretsParts;
  readonly #sessions: Sessions<ClusterConfig>;
  #keys = new KnownKeys();
  readonly #firstAttempt: FirstAttempt;
  readonly #found: FoundClusters;
  readonly #row: KindRow;
  #home: ClusterConfig;
  #reflector: Reflector | undefined;
  #transport: KubeTransport = () => Promise.reject(new Error("no session has begun"));
  /** Of the session that runs, or ran last: who answered, and whether that is believed. */
  #uid: string | undefined;
  #isBelieved = true;
  #isTelling = false;
  #stopped = false;

  constructor(parts: ClusterSecretsParts) {
    const { settings, home, connect, clock, random, log, turns } = parts;
    this.#parts = parts;
    this.#home = home;
    this.place = settings.namespace;
    this.#found = new FoundClusters(log, parts.mostSecrets);
    const row = (this.#row = secretsRow(settings.namespace, settings.selector));
    this.#firstAttempt = new FirstAttempt(clock, () => parts.moved());
    this.#sessions = new Sessions<ClusterConfig>({
      ...{ cluster: home, connect, clock, random, turns },
      log: log.child({ cluster: home.name, for: "cluster Secrets" }),
      seen: () => (this.#reflector?.health().state === "degraded" ? [] : [row]),
      began: (connection, uid) => this.#begin(connection, uid),
      renewed: (connection, uid) => {
        this.#transport = identified(connection, uid, clock);
        this.#reflector?.renew();
      },
      failed: () => this.#firstAttempt.end(),
      onFault: parts.fault,
    });
  }

  get home(): ClusterConfig {
    return this.#home;
  }

  get firstAttemptOver(): boolean {
    return this.#firstAttempt.over;
  }

  /** By name of the Secret. */
  found(): FoundCluster[] {
    return this.#found.all();
  }

  /** Why there may be clusters besides those that are `found`, one sentence; undefined: there are none. */
  whyUnknown(): string | undefined {
    const health = this.#reflector?.health();
    const them = `the cluster Secrets in namespace ${this.place} of ${this.#home.name}`;
    const mend = "mend that first (doctor says what is missing)";
    if (!this.#isBelieved) return `${them} are not read: ${this.#stranger}; ${mend}`;
    if (health?.state === "synced" && !this.#isTelling) {
      const unnamed = this.#found.unnamed();
      return unnamed && `what a cluster Secret names cannot be told: ${unnamed}; mend that first`;
    }
    const failed = this.#failure();
    if (failed !== undefined) return `${them} cannot be listed: ${failed}; ${mend}`;
    return `${them} are still being listed; ask again`;
  }

  troubles(): string[] {
    const list = this.#failure() ?? this.#sessions.trouble;
    const seen = list === undefined ? [] : [`clusterSecrets: ${list}`];
    const stranger = `clusterSecrets: ${this.#stranger}: its Secrets are not read`;
    return [...seen, ...(this.#isBelieved ? [] : [stranger]), ...this.#found.faults()];
  }

  get #stranger(): string {
    return `another cluster answers as ${this.#home.name}`;
  }

  #failure(): string | undefined {
    const health = this.#reflector?.health();
    return health?.state === "degraded" ? health.reason : this.#sessions.unready?.reason;
  }

  start(): void {
    this.#sessions.begin();
  }

  /** It is reached another way. */
  follow(home: ClusterConfig): void {
    const { kubeconfig, context, inCluster } = home;
    const was = this.#home;
    this.#home = home;
    if (was.kubeconfig !== kubeconfig || was.context !== context || was.inCluster !== inCluster)
      this.#sessions.renew(home);
  }

  /** As what the home is known, or who answers and is `believed`, may be another now: a session with somebody else ends. */
  review(believed: string | undefined): void {
    if (this.#stopped) return;
    if (this.#uid !== undefined && believed !== undefined && believed !== this.#uid) {
      this.#unlist();
      this.#sessions.restart(this.#home);
    } else if (this.#believes() !== this.#isBelieved) {
      this.#isBelieved = !this.#isBelieved;
      if (this.#isBelieved) this.#list();
      else this.#forget();
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#firstAttempt.stop();
    this.#reflector?.stop();
    await this.#sessions.stop();
  }

  #begin(connection: KubeConnection, uid: string): void {
    this.#transport = identified(connection, uid, this.#parts.clock);
    this.#uid = uid;
    this.#isBelieved = this.#believes();
    if (this.#isBelieved) this.#list();
    else this.#firstAttempt.end();
  }

  #believes(): boolean {
    const known = this.#parts.known();
    return known === undefined || this.#uid === undefined || known === this.#uid;
  }

  /** What was read before the home was known is another cluster's. */
  #forget(): void {
    this.#unlist();
    this.#keys = new KnownKeys();
    this.#found.forget();
    this.#firstAttempt.end();
    this.#parts.changed();
  }

  #unlist(): void {
    this.#reflector?.stop();
    this.#reflector = undefined;
  }

  #list(): void {
    const { clock, random, log, turns, fault } = this.#parts;
    this.#reflector = new Reflector({
      ...{ row: this.#row, clock, random, turns, keys: this.#keys, onFault: fault },
      log: log.child({ cluster: this.#home.name }),
      transport: (request) => this.#transport(request),
      heard: () => this.#firstAttempt.heard(),
      unreadable: () => {},
      say: (event) => this.#hear(event),
    });
    this.#reflector.start();
  }

  #hear(event: ReflectorEvent): void {
    if (event.type === "apply") {
      if (this.#found.take(event.key, event.wire.value())) this.#tell();
    } else if (event.type === "delete") {
      if (!this.#found.drop(event.key)) return;
      this.#tell();
      if (this.#found.hasRoom()) this.#parts.clock.soon(() => this.#listAgain());
    } else {
      // Whoever waits for the list waits then for the clusters that were found in it.
      this.#told();
      this.#firstAttempt.end();
    }
  }

  /** There is room for one that was only named. */
  #listAgain(): void {
    if (!this.#found.hasRoom() || this.#stopped) return;
    this.#found.relist();
    this.#reflector?.stop();
    this.#list();
  }

  /** Once for all that came together. */
  #tell(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    this.#parts.clock.soon(() => this.#told());
  }

  #told(): void {
    if (!this.#isTelling) return;
    this.#isTelling = false;
    this.#parts.changed();
  }
}
