import type { ClusterConfig, Config } from "./config.ts";
import { FleetEvents } from "./observe/events/fleet-events.ts";
import { ProblemEvents } from "./observe/events/problem-events.ts";
import { ProblemLog } from "./observe/problem-log.ts";
import { Problems } from "./observe/problems.ts";
import type { ReasonFacts } from "./observe/reasons.ts";
import type { Clock, Log, Random } from "./runtime.ts";
import { unpackSource } from "./shard/pack.ts";
import type { Change } from "./shard/change.ts";
import type { Quarantined } from "./shard/quarantine.ts";
import type { Shards } from "./shard/shards.ts";
import { bytesOfText } from "./store/byte-text.ts";
import type { ObjectStore } from "./store/object-store.ts";
import { sourceKinds, sourceOf } from "./store/source-kinds.ts";
import type { KubeConnection } from "./watch/kube-connection.ts";
import type { GroupRecord } from "./write/group-record.ts";
import type { Records } from "./write/records.ts";

export interface ProblemReportsParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly config: Pick<Config, "instance" | "events">;
  readonly facts: ReasonFacts;
  readonly records: Pick<Records, "get">;
  readonly shards: Pick<Shards, "explain">;
  readonly store: ObjectStore;
  readonly clusterOf: (name: string) => ClusterConfig | undefined;
  readonly connect: (cluster: ClusterConfig, signal: AbortSignal) => Promise<KubeConnection>;
  readonly fault: (error: unknown) => void;
}

/** What is wrong with declarations, found once, and told in the log and, unless turned off, in Kubernetes Events. */
export class ProblemReports {
  readonly #problems: Problems;
  readonly #events: ProblemEvents | undefined;
  readonly #fleet: FleetEvents;

  constructor(parts: ProblemReportsParts) {
    const { clock, random, log, config, facts, records, connect, clusterOf, fault: onFault } = parts;
    const written = new ProblemLog({ clock, log });
    this.#fleet = new FleetEvents({
      ...{ clock, random, log, onFault },
      connect: (name, signal) => {
        const cluster = clusterOf(name);
        return cluster && connect(cluster, signal);
      },
    });
    const events = new ProblemEvents({
      ...{ clock, facts, onFault, instance: config.instance },
      record: (id) => records.get(id),
      explain: (query) => parts.shards.explain(query),
      uidOf: ({ cluster, kind, namespace, name }) => {
        const { objects } = sourceKinds[kind];
        const packed = parts.store.get({ cluster, kind: objects, namespace, name });
        return packed === undefined ? undefined : unpackSource(objects, bytesOfText(packed)).uid;
      },
      gone: (id) => this.#problems.forget(id),
      send: (key, event, isFirst) => this.#fleet.send(key, event, isFirst),
    });
    this.#events = config.events.enabled ? events : undefined;
    this.#problems = new Problems({
      ...{ clock, facts },
      isCurrent: (record) => records.get(record.id) === record,
      told: (problem) => {
        written.take(problem);
        this.#events?.take(problem);
      },
      gone: (id) => this.#events?.forget(id),
    });
  }

  touched(record: GroupRecord): void {
    this.#problems.touched(record);
    this.#events?.touched(record.id);
  }

  stray(change: Change): void {
    this.#problems.stray(change);
  }

  /** A burst is over. */
  review(): void {
    this.#problems.review();
    this.#events?.review();
  }

  quarantined({ cluster, kind, namespace, name }: Quarantined): void {
    const source = sourceOf(kind);
    if (source !== undefined) this.#events?.quarantined({ cluster, kind: source, namespace, name });
  }

  /** A cluster has left the configuration, or is reached otherwise now. */
  forget(cluster: string): Promise<void> {
    return this.#fleet.forget(cluster);
  }

  async stop(): Promise<void> {
    this.#problems.stop();
    this.#events?.stop();
    await this.#fleet.stop();
  }
}
