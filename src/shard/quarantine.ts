import type { Identity } from "../apisix/types.ts";
import type { Kept, KeptKey } from "../filter/kept.ts";
import { sourceKinds } from "../store/source-kinds.ts";

/** An object that is kept from its shard because it killed it. */
export interface Quarantined extends KeptKey {
  /** Wall clock, milliseconds since 1970. */
  readonly since: number;
}

/**
 * The key of an object in one string; the length keeps names apart that hold a slash. A slice of two Services, one after
 * the other, is two objects: both are told.
 */
export function keyOf({ cluster, kind, namespace, name, service }: KeptKey): string {
  const key = `${cluster}/${kind}/${namespace.length}/${namespace}/${name}`;
  return service === undefined ? key : `${key}/${service}`;
}

/**
 * Finds the object that kills a shard. Objects of batches that were unanswered at two deaths in a row are suspects: they
 * are sent last and one by one, and the one that is alone unanswered at the next death is quarantined.
 */
export class Quarantine {
  readonly #held = new Map<string, Quarantined>();
  #last = new Set<string>();
  #suspects = new Set<string>();
  /** The objects that the shard was working on at its last death. */
  #doing = "";

  get size(): number {
    return this.#held.size;
  }

  has(key: string): boolean {
    return this.#held.has(key);
  }

  isSuspect(key: string): boolean {
    return this.#suspects.has(key);
  }

  release(key: string): void {
    this.#held.delete(key);
  }

  entries(): Iterable<Quarantined> {
    return this.#held.values();
  }

  /** The shard died before it answered for these. Returns what is quarantined for it. */
  died(unanswered: readonly Kept[], wall: number): Quarantined | undefined {
    const [only, ...others] = unanswered;
    const keys = new Set(unanswered.map(keyOf));
    if (only !== undefined && others.length === 0 && this.#suspects.has(keyOf(only))) {
      const { cluster, kind, namespace, name, service } = only;
      const slice = service === undefined ? {} : { service };
      const quarantined = { cluster, kind, namespace, name, ...slice, since: wall };
      this.#held.set(keyOf(only), quarantined);
      this.#last = new Set();
      this.#suspects = new Set();
      return quarantined;
    }
    const both = [...keys].filter((key) => this.#last.has(key));
    for (const key of both) this.#suspects.add(key);
    this.#last = keys;
    return undefined;
  }

  /**
   * The shard died while it worked on the group of these objects, whatever it had been asked. Twice in a row: all of them are
   * quarantined, and returned.
   */
  diedDoing(objects: readonly KeptKey[], wall: number): readonly Quarantined[] {
    const doing = objects.map(keyOf).join();
    const isAgain = doing !== "" && doing === this.#doing;
    this.#doing = doing;
    if (!isAgain) return [];
    this.#last = new Set();
    this.#suspects = new Set();
    return objects.map(({ cluster, kind, namespace, name }) => {
      const quarantined = { cluster, kind, namespace, name, since: wall };
      this.#held.set(keyOf(quarantined), quarantined);
      return quarantined;
    });
  }

  /** The shard has been well for long: what ended the last one is not what will end this one. */
  recovered(): void {
    this.#doing = "";
  }

  /** The shard has taken everything and lives: nobody is suspected. */
  survived(): void {
    this.#last = new Set();
    this.#suspects = new Set();
  }

  /** Whether what the shard says of this identity may rest on a quarantined object being absent. */
  mayLack(identity: Identity): boolean {
    for (const held of this.#held.values()) if (mayRestOn(identity, held)) return true;
    return false;
  }
}

function mayRestOn(identity: Identity, { cluster, kind, namespace, name, service = name }: KeptKey): boolean {
  if (!sourceKinds[identity.kind].feeds.includes(kind))
    return kind === "nodes" && identity.kind === "service";
  if (identity.namespace !== namespace) return false;
  if (identity.share === "fleet") return true;
  return identity.cluster === cluster && (identity.share === "cluster" || identity.name === service);
}
