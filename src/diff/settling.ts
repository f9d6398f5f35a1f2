import type { SourceKind } from "../declare/declaration.ts";
import type { Sight } from "../desired/context.ts";
import { sourceKinds } from "../store/source-kinds.ts";
import type { Kind } from "../watch/events.ts";

const everyKind: readonly Kind[] = ["pods", "services", "endpointslices", "nodes"];

/** What a group rests on: the kinds that feed one kind of source in one cluster. */
export interface Rest {
  readonly cluster: string;
  readonly kind: SourceKind;
}

/** Which kinds of which clusters are settled, and which groups wait for theirs to be. */
export class Settling {
  readonly #isConfigured: (cluster: string) => boolean;
  /** `cluster/kind` → what was said of it last. */
  readonly #said = new Map<string, "settled" | "unseen">();
  readonly #waiting = new Map<string, Set<string>>();
  readonly #purged = new Set<string>();
  /** `cluster/kind` of which a new list takes objects away. */
  readonly #doubted = new Set<string>();

  /** What is not configured is not waited for. */
  constructor(isConfigured: (cluster: string) => boolean) {
    this.#isConfigured = isConfigured;
  }

  sight({ cluster, kind }: Rest): Sight {
    if (this.#purged.has(cluster)) return "purged";
    if (!this.#isConfigured(cluster)) return "unseen";
    const said = sourceKinds[kind].feeds.map((feed) => this.#said.get(`${cluster}/${feed}`));
    if (said.includes("unseen")) return "unseen";
    return said.includes(undefined) ? "pending" : "seen";
  }

  /** Likewise of the Nodes of a cluster, on which few groups rest. */
  nodesSight(cluster: string): Sight {
    const said = this.#said.get(`${cluster}/nodes`);
    return said === "settled" ? "seen" : (said ?? "pending");
  }

  doubt(cluster: string, kind: Kind): void {
    this.#doubted.add(`${cluster}/${kind}`);
  }

  /** Whether a list is taking away what such groups rest on. */
  isDoubted({ cluster, kind }: Rest): boolean {
    return (
      this.#doubted.size > 0 &&
      sourceKinds[kind].feeds.some((feed) => this.#doubted.has(`${cluster}/${feed}`))
    );
  }

  areNodesDoubted(cluster: string): boolean {
    return this.#doubted.has(`${cluster}/nodes`);
  }

  isSettled(rest: Rest): boolean {
    return this.sight(rest) === "seen";
  }

  /** The group is looked at again when one of the kinds that are missing to it is settled. */
  wait({ cluster, kind }: Rest, id: string): void {
    for (const feed of sourceKinds[kind].feeds) this.#waitFor(`${cluster}/${feed}`, id);
  }

  waitForNodes(cluster: string, id: string): void {
    this.#waitFor(`${cluster}/nodes`, id);
  }

  /** Groups that have waited for this kind; others may be missing to them still. */
  settle(cluster: string, kind: Kind): ReadonlySet<string> {
    const key = `${cluster}/${kind}`;
    this.#said.set(key, "settled");
    this.#doubted.delete(key);
    this.#purged.delete(cluster);
    return this.#released(key);
  }

  /** Groups that have waited for it to be settled, or not waited for any more. */
  unsettle(cluster: string, kind: Kind): ReadonlySet<string> {
    const key = `${cluster}/${kind}`;
    const wasPending = this.#said.get(key) === undefined;
    this.#said.set(key, "unseen");
    this.#doubted.delete(key);
    return wasPending ? new Set(this.#waiting.get(key)) : new Set();
  }

  /** Nothing of the cluster is seen any more. */
  lose(cluster: string): void {
    for (const kind of everyKind) {
      this.#said.set(`${cluster}/${kind}`, "unseen");
      this.#doubted.delete(`${cluster}/${kind}`);
    }
  }

  purge(cluster: string): void {
    this.lose(cluster);
    this.#purged.add(cluster);
  }

  isPurged(cluster: string): boolean {
    return this.#purged.has(cluster);
  }

  #waitFor(key: string, id: string): void {
    if (this.#said.get(key) === "settled") return;
    const ids = this.#waiting.get(key) ?? new Set<string>();
    this.#waiting.set(key, ids.add(id));
  }

  #released(key: string): ReadonlySet<string> {
    const ids = this.#waiting.get(key) ?? new Set<string>();
    this.#waiting.delete(key);
    return ids;
  }
}
