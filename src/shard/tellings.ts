import type { Known, ToShard } from "./protocol.ts";

/** Enough to be cheap, few enough that an answer comes between. */
const entriesEach = 256;

type Telling =
  | { readonly type: "known"; readonly entries: Known[] }
  | { readonly type: "forget"; readonly ids: string[] };

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
    if (last?.type === "known" && last.entries.length < entriesEach) last.entries.push(entry);
    else this.#gathered.push({ type: "known", entries: [entry] });
  }

  forget(id: string): void {
    const last = this.#gathered.at(-1);
    if (last?.type === "forget" && last.ids.length < entriesEach) last.ids.push(id);
    else this.#gathered.push({ type: "forget", ids: [id] });
  }

  flush(): void {
    const gathered = this.#gathered;
    if (gathered.length === 0) return;
    this.#gathered = [];
    for (const telling of gathered) {
      this.#post(telling);
      if ((telling.type === "known" ? telling.entries : telling.ids).length === entriesEach) this.#beat();
    }
  }
}
