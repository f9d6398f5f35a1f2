import type { SourceKind } from "../declare/declaration.ts";
import { sourceKinds } from "../store/source-kinds.ts";
import type { Kind } from "../watch/events.ts";

/** What a group rests on: kinds of one cluster. */
export interface Rest {
  readonly cluster: string;
  readonly kind: SourceKind;
}

/** Which kinds of which clusters are settled, and which groups wait for theirs to be. */
export class Settling {
  /** `cluster/kind`. */
  readonly #settled = new Set<string>();
  readonly #waiting = new Map<string, Set<string>>();

  isSettled(rest: Rest): boolean {
    return this.#missing(rest) === undefined;
  }

  areNodesSettled(cluster: string): boolean {
    return this.#settled.has(`${cluster}/nodes`);
  }

  /** Whether the group must wait; if so it is remembered. */
  postpone(rest: Rest, id: string): boolean {
    return this.#wait(this.#missing(rest), id);
  }

  /** Likewise, for the Nodes of a cluster, on which few groups rest. */
  postponeForNodes(cluster: string, id: string): boolean {
    return this.#wait(this.areNodesSettled(cluster) ? undefined : `${cluster}/nodes`, id);
  }

  /** Groups that have waited for this kind; others may be missing still. */
  settle(cluster: string, kind: Kind): Iterable<string> {
    const key = `${cluster}/${kind}`;
    this.#settled.add(key);
    const ids = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    return ids;
  }

  unsettle(cluster: string, kind: Kind): void {
    this.#settled.delete(`${cluster}/${kind}`);
  }

  /** Nothing of the cluster is settled. */
  lose(cluster: string): void {
    for (const key of [...this.#settled]) if (key.startsWith(`${cluster}/`)) this.#settled.delete(key);
  }

  #wait(missing: string | undefined, id: string): boolean {
    if (missing === undefined) return false;
    const ids = this.#waiting.get(missing) ?? new Set<string>();
    this.#waiting.set(missing, ids);
    ids.add(id);
    return true;
  }

  /** One of the kinds that it rests on and that are not settled. */
  #missing({ cluster, kind }: Rest): string | undefined {
    const missing = sourceKinds[kind].feeds.find((feed) => !this.#settled.has(`${cluster}/${feed}`));
    return missing && `${cluster}/${missing}`;
  }
}
