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
  #looks = 0;

  constructor(parts: ShardQuestionsParts) {
    this.#parts = parts;
  }

  /** Whether APISIX is being asked for one. What could not be read waits for time, and holds up nothing but its own group. */
  get isAsking(): boolean {
    return this.#looks > 0;
  }

  async need(record: GroupRecord): Promise<void> {
    const { clock, shards, finalize, fault } = this.#parts;
    const found = await this.#look(record);
    if (found === "failed") return void clock.after(patience, () => void this.need(record).catch(fault));
    shards.kept(record.identity, record.id, found.upstream, found.route);
    finalize(record);
  }

  async #look(record: GroupRecord): ReturnType<ShardQuestionsParts["lookAt"]> {
    this.#looks++;
    try {
      return await this.#parts.lookAt(record);
    } finally {
      this.#looks--;
    }
  }
}
