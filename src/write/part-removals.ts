import type { GroupRecord } from "./group-record.ts";
import type { Guard } from "./guard.ts";

/** How the removal of a part comes before the guard, under its key, and is taken back. */
interface Asking {
  ask(key: string, record: GroupRecord, cluster: string, isHeld: boolean): void;
  cancel(key: string): void;
  letGo(record: GroupRecord, cluster: string): void;
}

/** Parts of fleet groups that lists take away: each is one removal, while the group stays. */
export class PartRemovals {
  readonly #guard: Guard;
  readonly #asking: Asking;

  constructor(guard: Guard, asking: Asking) {
    this.#guard = guard;
    this.#asking = asking;
  }

  /** What this cluster has in a fleet group is gone, while others have a part in it; or it is not gone any more. */
  note(record: GroupRecord, cluster: string, isGone: boolean): void {
    const key = partKey(record, cluster);
    if (!isGone) {
      if (record.goneParts.has(cluster))
        record.goneParts = new Set([...record.goneParts].filter((name) => name !== cluster));
      return this.#asking.cancel(key);
    }
    record.goneParts = new Set([...record.goneParts, cluster]);
    this.#asking.ask(key, record, cluster, this.#guard.isHeld(key));
  }

  /** The guard let it go. Its group stays, and loses nodes at once: it counts from now on. */
  letGo(now: number, record: GroupRecord, cluster: string): void {
    this.#guard.went(now, partKey(record, cluster));
    this.#asking.letGo(record, cluster);
  }

  isHeld(record: Pick<GroupRecord, "id">, cluster: string): boolean {
    return this.#guard.isHeld(partKey(record, cluster));
  }

  /** Whether all that it consisted of was asked for, and let go. */
  areAllLetGo(record: GroupRecord): boolean {
    const { members } = record;
    return members.length > 0 && members.every(([name]) => this.#guard.hasPassed(partKey(record, name)));
  }

  /** The shard that spoke of it is lost: what it said of parts it will say anew. */
  unhear(record: GroupRecord): void {
    if (record.goneParts.size === 0) return;
    record.unheardParts = new Set([...record.unheardParts, ...record.goneParts]);
    record.goneParts = new Set();
  }

  /** Its shard has said everything anew. */
  rehear(record: GroupRecord): void {
    if (record.unheardParts.size === 0) return;
    for (const cluster of record.unheardParts)
      if (!record.goneParts.has(cluster)) this.#asking.cancel(partKey(record, cluster));
    record.unheardParts = new Set();
  }

  /** Nothing of the group stands any more, and it is forgotten. */
  forgotten(record: GroupRecord): void {
    for (const cluster of [...record.goneParts, ...record.unheardParts])
      this.#asking.cancel(partKey(record, cluster));
  }
}

function partKey({ id }: Pick<GroupRecord, "id">, cluster: string): string {
  return `${id}/${cluster}`;
}
