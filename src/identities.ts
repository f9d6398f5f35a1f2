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
  /** Name → uid of the cluster whose objects stand for it: of one that was accepted, not before it is at work. */
  readonly #standing = new Map<string, string>();
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
        for (const uids of [this.#known, this.#standing]) if (!uids.has(name)) uids.set(name, uid);
    }
  }

  /** Whether, until now that this one answers, another cluster did, and it is none whose objects stand for the name. */
  wasMistaken(name: string, uid: string): boolean {
    const before = this.#answered.get(name);
    return before !== undefined && before !== uid && before !== this.#standing.get(name);
  }

  answered(name: string, uid: string): void {
    this.#answered.set(name, uid);
  }

  /** Something of it is going to be written: from now on the name stands for the cluster that answered. */
  atWork(name: string): void {
    const uid = this.#answered.get(name);
    if (uid === undefined) return;
    this.#standing.set(name, uid);
    if (!this.#known.has(name)) this.#known.set(name, uid);
  }

  /** The name is not watched any more; what APISIX knows it as stays, unless it holds nothing of it. */
  left(name: string, holdsNothing: boolean): void {
    this.#answered.delete(name);
    if (holdsNothing) this.forget(name);
  }

  /** What APISIX knows the name as. */
  known(name: string): string | undefined {
    return this.#known.get(name);
  }

  /** An operator says who the name stands for from now on. */
  accept(name: string, uid: string): void {
    this.#known.set(name, uid);
  }

  /** Nothing of the name is left in APISIX: whoever answers next may have it. */
  forget(name: string): void {
    this.#known.delete(name);
    this.#standing.delete(name);
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
