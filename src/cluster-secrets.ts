import type { ClusterConfig, ClusterSecretsConfig } from "./config.ts";
import { readClusterSecret, type FoundCluster } from "./config/cluster-secret.ts";
import type { Clock, Log, Random } from "./runtime.ts";
import type { ObjectKey } from "./watch/events.ts";
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
  readonly connect: (cluster: ClusterConfig) => Promise<KubeConnection>;
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

/** As many as there may be clusters; of more nothing is held until one goes: then all are listed again. */
const usuallyMost = 1000;

/**
 * Clusters out of labelled Secrets, on a session of their own. One goes only when its Secret is known to be gone: while
 * the list fails, those that are known stay. A Secret that becomes bad changes nothing of its cluster, and that is said.
 * Of another cluster than the known one nothing is read.
 */
export class ClusterSecrets {
  readonly place: string;
  readonly #parts: ClusterSecretsParts;
  readonly #sessions: Sessions<ClusterConfig>;
  #keys = new KnownKeys();
  readonly #firstAttempt: FirstAttempt;
  /** By name of the Secret. */
  readonly #found = new Map<string, FoundCluster>();
  /** Name of the Secret → what is wrong with it now. */
  readonly #faults = new Map<string, string>();
  /** Secrets for which there was no room. */
  readonly #over = new Set<string>();
  readonly #most: number;
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
    this.#most = parts.mostSecrets ?? usuallyMost;
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
    return [...this.#found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => found);
  }

  troubles(): string[] {
    const { unready, trouble } = this.#sessions;
    const health = this.#reflector?.health();
    const list = health?.state === "degraded" ? health.reason : (unready?.reason ?? trouble);
    const seen = list === undefined ? [] : [`clusterSecrets: ${list}`];
    const stranger = `clusterSecrets: another cluster answers as ${this.#home.name}: its Secrets are not read`;
    return [...seen, ...(this.#isBelieved ? [] : [stranger]), ...this.#faults.values()];
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
    for (const said of [this.#found, this.#faults, this.#over]) said.clear();
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
    if (event.type === "apply") this.#take(event.key, event.wire.value());
    else if (event.type === "delete") this.#drop(event.key);
    else {
      // Whoever waits for the list waits then for the clusters that were found in it.
      this.#told();
      this.#firstAttempt.end();
    }
  }

  #take({ namespace, name }: ObjectKey, value: unknown): void {
    const origin = `Secret ${namespace}/${name}`;
    const read = readClusterSecret(origin, name, value);
    const held = this.#found.get(name);
    const known = held !== undefined && "text" in held.cluster.inline ? held : undefined;
    if (read.fault === undefined) this.#faults.delete(name);
    else this.#complain(name, origin, read.fault, known !== undefined);
    // What was good once goes on as it was; what is new is shown with what is wrong.
    if (read.fault !== undefined && known !== undefined) return;
    if (read.found === undefined) return;
    if (held === undefined && this.#found.size >= this.#most) {
      this.#over.add(name);
      return this.#complain(name, origin, `there are ${this.#most} Secrets of clusters already`, false);
    }
    this.#found.set(name, read.found);
    this.#tell();
  }

  #complain(name: string, origin: string, fault: string, isKnown: boolean): void {
    const reason = `${origin}: ${fault}`;
    if (this.#faults.get(name) === reason) return;
    this.#faults.set(name, reason);
    const advice = isKnown
      ? "mend the Secret; its cluster goes on as it was"
      : "mend the Secret; its cluster is not watched until then";
    this.#parts.log.error({ reason, advice }, "a cluster Secret cannot be used");
  }

  #drop({ name }: ObjectKey): void {
    this.#faults.delete(name);
    this.#over.delete(name);
    if (!this.#found.delete(name)) return;
    this.#tell();
    if (this.#over.size > 0) this.#parts.clock.soon(() => this.#listAgain());
  }

  /** There is room for one that was only named. */
  #listAgain(): void {
    if (this.#over.size === 0 || this.#stopped) return;
    this.#over.clear();
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
