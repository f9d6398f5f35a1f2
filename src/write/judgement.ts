import type { Kind } from "../watch/events.ts";
import type { SourcePlace } from "./source-place.ts";

/** What is gathered of one kind of source in one cluster, to be judged whole. */
export interface Judgement {
  readonly place: SourcePlace;
  /** Keys of what is asked. */
  readonly asked: Set<string>;
  /** Watched kinds of which more may come. */
  readonly open: Set<Kind>;
  foundNothing: boolean;
}

export function newJudgement({ cluster, kind }: SourcePlace): Judgement {
  return { place: { cluster, kind }, asked: new Set(), open: new Set(), foundNothing: false };
}
