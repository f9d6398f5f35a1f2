import type { GroupFlowParts } from "./group-flow-parts.ts";
import type { GroupRecord } from "./group-record.ts";

/** Milliseconds until APISIX is asked again where it could not be. */
const patience = 1000;

export interface ShardQuestionsParts extends Pick<GroupFlowParts, "clock" | "shards" | "fault"> {
  readonly lookAt: GroupFlowParts["writer"]["requests"]["lookAt"];
  /** It may be that nothing of it stands any more. */
  readonly finalize: (record: GroupRecord) => void;
}

/** What shards ask: what stands under an id. They go on only once they are told. */
export class ShardQuestions {
  readonly #parts: ShardQuestionsParts;
  #open = 0;

  constructor(parts: ShardQuestionsParts) {
    this.#parts = parts;
  }

  /** Questions that have not been answered. */
  get open(): number {
    return this.#open;
  }

  need(record: GroupRecord): Promise<void> {
    this.#open++;
    return this.#answer(record);
  }

  async #answer(record: GroupRecord): Promise<void> {
    const { clock, shards, lookAt, finalize, fault } = this.#parts;
    const found = await lookAt(record);
    if (found === "failed") return void clock.after(patience, () => void this.#answer(record).catch(fault));
    this.#open--;
    shards.kept(record.identity, record.id, found.upstream, found.route);
    finalize(record);
  }
}
