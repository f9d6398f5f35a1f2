import type { Following } from "./following.ts";
import type { Identities } from "./identities.ts";
import type { Log } from "./runtime.ts";

export interface RefusalsParts {
  readonly identities: Identities;
  readonly following: Following;
  readonly log: Log;
}

/** Clusters that answer as others than they are known as, and why nothing of them may be believed. */
export class Refusals {
  readonly #parts: RefusalsParts;
  /** Cluster → the reason. */
  readonly #refusals = new Map<string, string>();

  constructor(parts: RefusalsParts) {
    this.#parts = parts;
  }

  /** Undefined where it is not refused, or not known yet. */
  of(cluster: string): string | undefined {
    return this.#refusals.get(cluster);
  }

  /** As what APISIX knows the name, by the uid of its `kube-system`. */
  known(cluster: string): string | undefined {
    return this.#parts.identities.known(cluster);
  }

  /** Who answers under the name and is believed; undefined: nobody. */
  believed(cluster: string): string | undefined {
    return this.isRefused(cluster) ? undefined : this.#parts.identities.uidOf(cluster);
  }

  /** Clusters of which nothing was believed when they were last judged. */
  names(): string[] {
    return [...this.#refusals.keys()];
  }

  /** The same, asked anew, as of one whose session ended before anything of it was judged; said once for each reason. */
  isRefused(cluster: string): boolean {
    const { identities, following, log } = this.#parts;
    const refusal = identities.refusal(cluster, (name) => following.isAny(name, "visible"));
    if (refusal === undefined) {
      this.#refusals.delete(cluster);
      return false;
    }
    const advice =
      "nothing of it is read or changed; correct its kubeconfig, or give a rebuilt cluster another name";
    if (this.#refusals.get(cluster) !== refusal)
      log.error({ cluster, reason: refusal, advice }, "a cluster is refused");
    this.#refusals.set(cluster, refusal);
    return true;
  }

  /** It is not watched any more. */
  forget(cluster: string): void {
    this.#refusals.delete(cluster);
  }
}
