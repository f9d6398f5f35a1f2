import { readClusterSecret, type FoundCluster } from "./config/cluster-secret.ts";
import type { Log } from "./runtime.ts";
import type { ObjectKey } from "./watch/events.ts";

/** As many as there may be clusters; of more nothing is held until one goes: then all are listed again. */
const usuallyMost = 1000;

/** What has been read out of cluster Secrets. A Secret that becomes bad changes nothing of its cluster, and that is said. */
export class FoundClusters {
  readonly #log: Log;
  readonly #most: number;
  /** By name of the Secret. */
  readonly #found = new Map<string, FoundCluster>();
  /** Name of the Secret → what is wrong with it now. */
  readonly #faults = new Map<string, string>();
  /** Secrets for which there was no room. */
  readonly #over = new Set<string>();
  /** Secrets of which it cannot be told what their cluster is called. */
  readonly #nameless = new Set<string>();

  /** `most`: default 1,000. */
  constructor(log: Log, most = usuallyMost) {
    this.#log = log;
    this.#most = most;
  }

  /** By name of the Secret. */
  all(): FoundCluster[] {
    return [...this.#found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => found);
  }

  /** What is wrong with Secrets, one sentence each. */
  faults(): string[] {
    return [...this.#faults.values()];
  }

  /** What is wrong with a Secret of which the cluster's name is not known; undefined: those of all are. */
  unnamed(): string | undefined {
    const [name] = [...this.#nameless, ...this.#over];
    return name === undefined ? undefined : this.#faults.get(name);
  }

  /** Whether some were left out for want of room, and there is room now; they are to be listed again then. */
  hasRoom(): boolean {
    return this.#over.size > 0 && this.#found.size < this.#most;
  }

  /** False: the clusters are what they were. */
  take({ namespace, name }: ObjectKey, value: unknown): boolean {
    const origin = `Secret ${namespace}/${name}`;
    const read = readClusterSecret(origin, name, value);
    const held = this.#found.get(name);
    const known = held !== undefined && "text" in held.cluster.inline ? held : undefined;
    if (read.isNamed || known !== undefined) this.#nameless.delete(name);
    else this.#nameless.add(name);
    if (read.fault === undefined) this.#faults.delete(name);
    else this.#complain(name, origin, read.fault, known !== undefined);
    // What was good once goes on as it was; what is new is shown with what is wrong.
    if (read.fault !== undefined && known !== undefined) return false;
    if (read.found === undefined) return false;
    if (held === undefined && this.#found.size >= this.#most) {
      this.#over.add(name);
      this.#complain(name, origin, `there are ${this.#most} Secrets of clusters already`, false);
      return false;
    }
    this.#found.set(name, read.found);
    return true;
  }

  /** False: the clusters are what they were. */
  drop({ name }: Pick<ObjectKey, "name">): boolean {
    this.#faults.delete(name);
    this.#over.delete(name);
    this.#nameless.delete(name);
    return this.#found.delete(name);
  }

  /** All are going to be listed again. */
  relist(): void {
    this.#over.clear();
  }

  forget(): void {
    for (const said of [this.#found, this.#faults, this.#over, this.#nameless]) said.clear();
  }

  #complain(name: string, origin: string, fault: string, isKnown: boolean): void {
    const reason = `${origin}: ${fault}`;
    if (this.#faults.get(name) === reason) return;
    this.#faults.set(name, reason);
    const advice = isKnown
      ? "mend the Secret; its cluster goes on as it was"
      : "mend the Secret; its cluster is not watched until then";
    this.#log.error({ reason, advice }, "a cluster Secret cannot be used");
  }
}
