import type { Snapshot } from "./apisix/snapshot.ts";

/**
 * Which cluster each configured name stands for, by the uid of its `kube-system` namespace. What APISIX knows is what an
 * upstream's `member` labels say; it outlives the process.
 *
 * A name that answers with another uid than it is known by is refused. So is one of two names of the same cluster: the
 * one that APISIX knows wins, else the one that is at work already, else the first in the file.
 */
export class Identities {
  readonly #names: () => readonly string[];
  /** Name → uid, as APISIX knows it. */
  readonly #known = new Map<string, string>();
  /** Names that were accepted for another cluster, of which no session has begun since. */
  readonly #accepted = new Set<string>();
  /** Name → uid, as its cluster answered. */
  readonly #answered = new Map<string, string>();

  /** `names`: of the clusters that are watched now, in their order. */
  constructor(names: () => readonly string[]) {
    this.#names = names;
  }

  uidOf(name: string): string | undefined {
    return this.#answered.get(name);
  }

  /** What stands says whose it is; a name that is known already stays what it is known as. */
  learn({ owned }: Pick<Snapshot, "owned">): void {
    for (const { upstream } of owned.values()) {
      for (const [name, uid] of upstream?.members ?? [])
        if (!this.#known.has(name)) this.#known.set(name, uid);
    }
  }

  /**
   * Whether what was heard under the name until now that this cluster answers is nothing to go on from: another one
   * answered, for which the name does not stand, or no session has begun since another one was accepted.
   */
  startsAnew(name: string, uid: string): boolean {
    if (this.#accepted.has(name)) return true;
    const before = this.#answered.get(name);
    return before !== undefined && before !== uid && before !== this.#known.get(name);
  }

  answered(name: string, uid: string): void {
    this.#accepted.delete(name);
    this.#answered.set(name, uid);
  }

  /** Something of it is going to be written: from now on the name stands for the cluster that answered. */
  atWork(name: string): void {
    const uid = this.#answered.get(name);
    if (uid !== undefined && !this.#known.has(name)) this.#known.set(name, uid);
  }

  /** The name is not watched any more; what APISIX knows it as stays, unless it holds nothing of it. */
  left(name: string, holdsNothing: boolean): void {
    this.#accepted.delete(name);
    this.#answered.delete(name);
    if (holdsNothing) this.#known.delete(name);
  }

  /** What APISIX knows the name as. */
  known(name: string): string | undefined {
    return this.#known.get(name);
  }

  /**
   * An operator says who the name stands for from now on. True: the name was known as another cluster, or another one
   * answered last; nothing that was heard of it counts any more.
   */
  accept(name: string, uid: string): boolean {
    const isAnother = this.#known.get(name) !== uid || this.#answered.get(name) !== uid;
    if (isAnother) this.#accepted.add(name);
    this.#known.set(name, uid);
    return isAnother;
  }

  /** Nothing of the name is left in APISIX: whoever answers next may have it. */
  forget(name: string): void {
    this.#known.delete(name);
  }

  /** Another name that is watched and answered with this uid. */
  twinOf(name: string, uid: string): string | undefined {
    return this.#names().find((other) => other !== name && this.#answered.get(other) === uid);
  }

  /** Why nothing of this name may be believed, one sentence; undefined where it may. */
  refusal(name: string, isAtWork: (name: string) => boolean): string | undefined {
    const uid = this.#answered.get(name);
    if (uid === undefined) return undefined;
    const known = this.#known.get(name);
    if (known !== undefined && known !== uid) {
      return `another cluster answers under this name: the uid of its namespace kube-system is ${uid}, and APISIX knows it as ${known}`;
    }
    const twin = this.twinOf(name, uid);
    if (twin === undefined || this.#isBefore(name, twin, uid, isAtWork)) return undefined;
    return `this is the same cluster as ${twin}: the uid of its namespace kube-system is ${uid}`;
  }

  #isBefore(name: string, twin: string, uid: string, isAtWork: (name: string) => boolean): boolean {
    const isKnown = (one: string): boolean => this.#known.get(one) === uid;
    if (isKnown(name) !== isKnown(twin)) return isKnown(name);
    if (isAtWork(name) !== isAtWork(twin)) return isAtWork(name);
    const names = this.#names();
    return names.indexOf(name) < names.indexOf(twin);
  }
}
