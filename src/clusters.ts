import type { ClusterConfig, ClusterSecretsConfig } from "./config.ts";
import { ClusterSecrets } from "./cluster-secrets.ts";
import type { ObjectReaders } from "./protobuf/object-reader.ts";
import type { Clock, Log, Random } from "./runtime.ts";
import type { Refusals } from "./refusals.ts";
import { Roster } from "./roster.ts";
import { startCluster, type ClusterWatch } from "./watch/cluster-watch.ts";
import type { Kind, WatchEvent } from "./watch/events.ts";
import { sameScope } from "./watch/kinds.ts";
import type { KubeConnection } from "./watch/kube-connection.ts";
import { readIdentity } from "./watch/read-identity.ts";
import { ConnectQueue } from "./watch/connect-queue.ts";
import { Turns } from "./watch/turns.ts";
import { reachedBy } from "./watched.ts";
import type { ClustersChange, Configured, Watched } from "./watched.ts";

export interface ClustersParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly kinds: readonly Kind[];
  readonly readers: ObjectReaders;
  readonly connect: (cluster: Watched, signal?: AbortSignal) => Promise<KubeConnection>;
  readonly emit: (event: WatchEvent) => void;
  /** A server sent what cannot be read. */
  readonly unreadable: (kind: Kind) => void;
  /** Told before any of them says anything, and after those that left have ended. */
  readonly changed: (change: ClustersChange) => void;
  /** Of which nothing is believed, for what answers is not what it is known as. */
  readonly refusals: Pick<Refusals, "names" | "isRefused" | "known" | "believed">;
  /** A cluster is reached another way from now on. */
  readonly readdressed: (cluster: string) => void;
  /** The first attempt to hear these kinds of a cluster is over, well or not. */
  readonly attempted: (cluster: string, kinds: readonly Kind[]) => void;
  /** What is waited for may be less. */
  readonly moved: () => void;
  readonly fault: (error: unknown) => void;
}

/** The clusters that are watched now: those of the configuration file, and those out of Secrets. */
export class Clusters {
  readonly watches = new Map<string, ClusterWatch<Watched>>();
  readonly #parts: ClustersParts;
  readonly #turns: Turns;
  readonly #secrets: ClusterSecrets | undefined;
  /** Resolves when the cluster Secrets need not be waited for any more. */
  readonly settled: Promise<void>;
  #configured: readonly ClusterConfig[];
  readonly #roster: Roster;
  #state: "idle" | "finding" | "watching" = "idle";

  constructor(
    config: {
      readonly clusters: readonly ClusterConfig[];
      readonly clusterSecrets?: ClusterSecretsConfig | undefined;
    },
    parts: ClustersParts,
  ) {
    const { clusters, clusterSecrets: settings } = config;
    const queue = new ConnectQueue(parts.clock);
    this.#parts = { ...parts, connect: (cluster, signal) => queue.run(() => parts.connect(cluster, signal)) };
    this.#turns = new Turns(parts.clock);
    this.#configured = clusters;
    this.#roster = new Roster(clusters, { log: parts.log, whyUnknown: () => this.whyUnknown() });
    const home = clusters.find(({ name }) => name === settings?.cluster);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    if (settings === undefined || home === undefined) {
      resolve();
      return;
    }
    const { clock, random, log, connect, fault } = parts;
    const moved = (): void => {
      resolve();
      parts.moved();
    };
    this.#secrets = new ClusterSecrets({
      ...{ settings, home, clock, random, log, connect, fault, moved, turns: this.#turns },
      ...{ known: () => parts.refusals.known(home.name), changed: () => this.#review() },
    });
  }

  /** Everything that is watched, or about to be. */
  get watched(): readonly Watched[] {
    return this.#roster.watched;
  }

  /** Whether something is configured under the name. */
  lookUp(name: string): Configured {
    return this.#roster.lookUp(name);
  }

  /** Why there may be clusters besides those that are watched, one sentence with what to do; undefined: there are none. */
  whyUnknown(): string | undefined {
    return this.#secrets?.whyUnknown();
  }

  /** Whether objects of this namespace are listed at all; where they are not, nothing is known of them. */
  covers(place: { readonly cluster: string; readonly namespace: string }): boolean {
    return this.#roster.covers(place);
  }

  /** @param watch false: it is only found out which there are. */
  start({ watch = true } = {}): void {
    this.#state = watch ? "watching" : "finding";
    for (const cluster of this.watched) this.#start(cluster);
    this.#secrets?.start();
  }

  /** The configuration file names others now. */
  configure(clusters: readonly ClusterConfig[]): void {
    this.#configured = clusters;
    const home = clusters.find(({ name }) => name === this.#secrets?.home.name);
    if (home !== undefined) this.#secrets?.follow(home);
    this.#review();
  }

  /** Asks the cluster who it is, on a connection for that alone. @throws TranslatorError why it cannot be told */
  async identityOf(cluster: Watched): Promise<string> {
    const { connect, clock } = this.#parts;
    const connection = await connect(cluster);
    try {
      return await readIdentity(connection, clock, new AbortController().signal);
    } finally {
      await connection.close();
    }
  }

  /** The name may stand for another cluster from now on: everything of it is listed anew. */
  restart(name: string): void {
    const cluster = this.#roster.byName.get(name);
    if (cluster !== undefined) this.watches.get(name)?.restart(cluster);
  }

  /** Who the cluster of the Secrets is may be known now. */
  reviewHome(): void {
    const name = this.#secrets?.home.name;
    if (name !== undefined) this.#secrets?.review(this.#parts.refusals.believed(name));
  }

  /** What is being waited for: clusters that have neither been heard nor given up, and the list of their Secrets. */
  waitsFor(): string[] {
    const names = [...this.watches].filter(([, watch]) => !watch.firstAttemptOver).map(([name]) => name);
    return this.#secrets?.firstAttemptOver === false
      ? [...names, `Secrets in ${this.#secrets.place}`]
      : names;
  }

  /** What is wrong beside the health of kinds, one sentence each. */
  troubles(): string[] {
    const sessions = [...this.watches].flatMap(([name, { trouble }]) =>
      trouble === undefined ? [] : [`${name}: new credentials cannot be used: ${trouble}`],
    );
    return [...sessions, ...this.#roster.refused, ...(this.#secrets?.troubles() ?? [])];
  }

  async stop(): Promise<void> {
    this.#state = "idle";
    const ends = [...this.watches.values()].map((watch) => watch.stop());
    await Promise.all([...ends, this.#secrets?.stop()]);
  }

  #review(): void {
    const found = this.#secrets?.found() ?? [];
    for (const next of this.#roster.share(this.#configured, found)) this.#become(next);
  }

  #become(next: readonly Watched[]): void {
    const before = this.#roster.byName;
    const change = this.#roster.become(next);
    for (const name of change.left) {
      void this.watches.get(name)?.stop().catch(this.#parts.fault);
      this.watches.delete(name);
    }
    this.#parts.changed(change);
    if (this.#state === "idle") return;
    for (const cluster of next) {
      const was = before.get(cluster.name);
      if (was === undefined) this.#start(cluster);
      else this.#follow(was, cluster);
    }
    if (change.left.length === 0) return;
    this.#parts.moved();
    this.#reviewRefused();
  }

  #start(cluster: Watched): void {
    const { kinds, readers, connect, clock, random, log, emit, unreadable, attempted, fault } = this.#parts;
    if (this.#state === "finding") return attempted(cluster.name, kinds);
    const watch = startCluster<Watched>({
      ...{ cluster, kinds, readers, connect, clock, random, log, turns: this.#turns },
      emit: (event) => {
        emit(event);
        if (event.type === "identity") clock.soon(() => this.#identified(cluster.name));
      },
      onUnreadable: unreadable,
      onFirstAttemptOver: (over) => attempted(cluster.name, over),
      onFault: fault,
      onOtherIdentity: () => clock.soon(() => this.#otherIdentity(cluster.name)),
    });
    this.watches.set(cluster.name, watch);
  }

  #identified(name: string): void {
    this.#reviewRefused(name);
    if (name === this.#secrets?.home.name) this.reviewHome();
  }

  /** A session that began with the wrong cluster has nothing to go on for: the next one asks who it is. */
  #otherIdentity(name: string): void {
    const cluster = this.#roster.byName.get(name);
    if (cluster !== undefined && this.#state === "watching" && this.#parts.refusals.isRefused(name))
      this.watches.get(name)?.restart(cluster);
  }

  /** Whoever was refused for the sake of another name, which has left or is another cluster after all, is listed anew. */
  #reviewRefused(begun?: string): void {
    const { refusals } = this.#parts;
    for (const name of refusals.names()) if (name !== begun && !refusals.isRefused(name)) this.restart(name);
  }

  /** Weight and address family mean nothing to a watch. */
  #follow(was: Watched, cluster: Watched): void {
    const watch = this.watches.get(cluster.name);
    if (!sameScope(was, cluster)) watch?.restart(cluster);
    else if (reachedBy(was) !== reachedBy(cluster)) watch?.renew(cluster);
    if (reachedBy(was) === reachedBy(cluster)) return;
    this.#parts.readdressed(cluster.name);
  }
}
