import type { Known, ToShard } from "./protocol.ts";

/** Enough to be cheap, few enough that an answer comes between. */
const entriesEach = 256;

type Telling =
  /** By id: what is known of one may replace what was known of it before. */
  | { readonly type: "known"; readonly entries: Map<string, Known> }
  | { readonly type: "forget"; readonly entries: Set<string> };

/** Gathers `known` and `forget` of one turn, in their order. */
export class Tellings {
  readonly #post: (message: ToShard) => void;
  readonly #beat: () => void;
  #gathered: Telling[] = [];

  /** `beat` follows each full message: these have no answer of their own, and a shard that is silent counts as hanging. */
  constructor(post: (message: ToShard) => void, beat: () => void) {
    this.#post = post;
    this.#beat = beat;
  }

  known(entry: Known): void {
    const last = this.#gathered.at(-1);
    const entries = last?.type === "known" ? last.entries : undefined;
    const earlier = entries?.get(entry.id);
    if (earlier === undefined ? (entries?.size ?? entriesEach) < entriesEach : addsTo(earlier, entry))
      entries?.set(entry.id, entry);
    else this.#gathered.push({ type: "known", entries: new Map([[entry.id, entry]]) });
  }

  forget(id: string): void {
    const last = this.#gathered.at(-1);
    if (last?.type === "forget" && last.entries.size < entriesEach) last.entries.add(id);
    else this.#gathered.push({ type: "forget", entries: new Set([id]) });
  }

  flush(): void {
    const gathered = this.#gathered;
    if (gathered.length === 0) return;
    this.#gathered = [];
    for (const { type, entries } of gathered) {
      if (type === "known") this.#post({ type, entries: [...entries.values()] });
      else this.#post({ type, ids: [...entries] });
      if (entries.size === entriesEach) this.#beat();
    }
  }
}

/**
 * Whether what is known now leaves nothing of what was known before untrue. Else both are told: a shard that hears only
 * that an upstream is gone, and not that it was written, would hear no news.
 */
function addsTo(earlier: Known, now: Known): boolean {
  return (["upstream", "route"] as const).every(
    (resource) => earlier[resource] === undefined || earlier[resource].digest === now[resource]?.digest,
  );
}
