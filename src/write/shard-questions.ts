import type { Identity } from "../apisix/types.ts";
import type { GroupFlowParts } from "./group-flow-parts.ts";
import type { GroupRecord } from "./group-record.ts";
import type { GroupRequests } from "./group-requests.ts";

/** Milliseconds until APISIX is asked again where it could not be. */
const patience = 1000;

export interface ShardQuestionsParts extends Pick<GroupFlowParts, "clock" | "shards" | "fault"> {
  readonly writer: Pick<GroupFlowParts["writer"], "records" | "requests">;
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

  async need(id: string, identity: Identity): Promise<void> {
    const { clock, shards, writer, finalize, fault } = this.#parts;
    // Found anew at each try: the record of the last one may be forgotten.
    const record = writer.records.findOrAdd(id, identity);
    const found = await this.#look(record);
    if (found === "failed")
      return void clock.after(patience, () => void this.need(id, identity).catch(fault));
    shards.kept(identity, id, found.upstream, found.route);
    finalize(record);
  }

  async #look(record: GroupRecord): ReturnType<GroupRequests["lookAt"]> {
    this.#looks++;
    try {
      return await this.#parts.writer.requests.lookAt(record);
    } finally {
      this.#looks--;
    }
  }
}
