import { TranslatorError } from "../errors.ts";
import type { Cancel, Clock, Log, Random } from "../runtime.ts";
import { backoffLimit, believedRetryAfter } from "./backoff.ts";
import type { KindRow } from "./kinds.ts";
import type { KubeConnection } from "./kube-connection.ts";
import { proveSession } from "./prove-session.ts";
import { readIdentity } from "./read-identity.ts";
import type { Turns } from "./turns.ts";

export interface SessionsOptions<Cluster> {
  readonly cluster: Cluster;
  readonly connect: (cluster: Cluster, signal: AbortSignal) => Promise<KubeConnection>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly turns: Turns;
  /** What a session must be able to see to take the place of the one that runs. */
  readonly seen: () => readonly KindRow[];
  /** A session has begun where there was none. */
  readonly began: (connection: KubeConnection, uid: string, cluster: Cluster) => void;
  /** A session has taken another one's place; that one is closed once this returns. */
  readonly renewed: (connection: KubeConnection, uid: string) => void;
  /** No session could begin, and there is none: said once, until one has begun. */
  readonly failed: (error: TranslatorError) => void;
  /** What would take the place of the session that runs is another cluster: one of the two is the wrong one. */
  readonly otherIdentity?: () => void;
  readonly onFault: (error: unknown, message: string) => void;
}

interface Session {
  readonly connection: KubeConnection;
  readonly uid: string;
}

const beginAdvice =
  "check this cluster's kubeconfig, credentials and API server; what is held of it stays as it is";
const renewAdvice =
  "mend this cluster's kubeconfig or credentials; the session goes on with what it had, and a restart would not";

/**
 * The sessions of one cluster, one after the other. The first one says who the cluster is. A later one takes its place
 * only once it has proved that it is the same cluster and sees what is seen now; until then the old one goes on. What
 * fails is tried again, with backoff.
 */
export class Sessions<Cluster> {
  readonly #options: SessionsOptions<Cluster>;
  #cluster: Cluster;
  /** Ends the attempt that runs. */
  #attempt = new AbortController();
  #session: Session | undefined;
  #number = 0;
  #retry: Cancel = () => {};
  #failures = 0;
  #unready: { readonly reason: string; readonly since: number } | undefined;
  #trouble: string | undefined;
  #isStopped = false;

  constructor(options: SessionsOptions<Cluster>) {
    this.#options = options;
    this.#cluster = options.cluster;
  }

  /** Of the session that runs, or ran last: from 1. */
  get number(): number {
    return Math.max(1, this.#number);
  }

  /** Why no session has begun; since when. */
  get unready(): { readonly reason: string; readonly since: number } | undefined {
    return this.#unready;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Tries to begin a session, or one that takes the place of the one that runs. */
  begin(): void {
    if (this.#isStopped) return;
    this.#retry();
    this.#attempt.abort();
    const attempt = new AbortController();
    this.#attempt = attempt;
    const { signal } = attempt;
    const opened = this.#session === undefined ? this.#first(signal) : this.#next(this.#session, signal);
    opened.catch((error: unknown) => {
      if (!signal.aborted) this.#failed(this.#asTranslatorError(error));
    });
  }

  renew(cluster: Cluster): void {
    this.#cluster = cluster;
    this.#failures = 0;
    this.begin();
  }

  /** The session that runs ends, and the next one owes it nothing. */
  restart(cluster: Cluster): void {
    this.#cluster = cluster;
    const old = this.#session;
    this.#session = undefined;
    this.#trouble = undefined;
    this.#unready = undefined;
    this.#failures = 0;
    void old?.connection.close();
    this.begin();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#retry();
    this.#attempt.abort();
    await this.#session?.connection.close();
  }

  async #first(signal: AbortSignal): Promise<void> {
    const { connect, clock, log, began } = this.#options;
    const cluster = this.#cluster;
    await this.#trying(await connect(cluster, signal), signal, async (connection) => {
      const uid = await readIdentity(connection, clock, signal);
      if (signal.aborted) return;
      if (this.#unready !== undefined) log.info({}, "cluster can be watched now");
      this.#take({ connection, uid });
      began(connection, uid, cluster);
    });
  }

  async #next(old: Session, signal: AbortSignal): Promise<void> {
    const { connect, clock, random, turns, seen, renewed, log } = this.#options;
    const { uid } = old;
    await this.#trying(await connect(this.#cluster, signal), signal, async (connection) => {
      const rows = seen();
      await proveSession({ transport: connection, clock, random, turns, signal, uid, rows });
      if (signal.aborted) return;
      this.#take({ connection, uid });
      renewed(connection, uid);
      log.info({ session: this.#number }, "a new session has proved itself and goes on");
      await old.connection.close();
    });
  }

  /** Whatever does not become the session is closed. */
  async #trying(
    connection: KubeConnection,
    signal: AbortSignal,
    run: (connection: KubeConnection) => Promise<void>,
  ): Promise<void> {
    try {
      if (!signal.aborted) await run(connection);
    } finally {
      if (this.#session?.connection !== connection) await connection.close();
    }
  }

  #take(session: Session): void {
    this.#session = session;
    this.#number++;
    this.#unready = undefined;
    this.#trouble = undefined;
    this.#failures = 0;
    session.connection.whenStale?.(() => {
      if (this.#session === session) this.renew(this.#cluster);
    });
  }

  #failed(error: TranslatorError): void {
    const { clock, random, log, failed, otherIdentity } = this.#options;
    const { code, message: reason } = error;
    if (this.#session !== undefined) {
      if (this.#trouble !== reason)
        log.error(
          { code, reason, advice: renewAdvice },
          "a new session cannot take over: the old one goes on",
        );
      this.#trouble = reason;
    } else if (this.#unready === undefined) {
      log.warn({ code, reason, advice: beginAdvice }, "cluster cannot be watched");
      this.#unready = { reason, since: clock.wall() };
      failed(error);
    } else this.#unready = { ...this.#unready, reason };
    this.#failures++;
    const wait = believedRetryAfter(error) + random() * backoffLimit(this.#failures);
    this.#retry = clock.after(wait, () => this.begin());
    if (this.#session !== undefined && code === "KUBE_IDENTITY") otherIdentity?.();
  }

  #asTranslatorError(error: unknown): TranslatorError {
    if (error instanceof TranslatorError) return error;
    this.#options.onFault(error, "connecting to a cluster failed through a bug");
    return new TranslatorError("KUBE_CONNECTION", "an internal error while connecting", { cause: error });
  }
}
