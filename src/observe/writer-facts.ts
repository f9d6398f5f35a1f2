import type { Clock } from "../runtime.ts";
import type { Configured } from "../watched.ts";
import type { Writer } from "../write/writer.ts";
import { groupTitle } from "./group-title.ts";
import { whyHeldForGood } from "./left-clusters.ts";
import type { ReasonFacts } from "./reasons.ts";

export interface WriterFactsParts {
  readonly clock: Clock;
  readonly writer: Writer;
  /** Why nothing of this group is written now, as a clause; undefined: it is visible. */
  readonly hidden: ReasonFacts["hidden"];
  /** Clusters that have not been heard, and not given up, yet. */
  readonly waitsFor: () => readonly string[];
  readonly lookUp: (cluster: string) => Configured;
}

/** What the states are judged by, as the writer knows it. */
export function writerFacts({ clock, writer, hidden, waitsFor, lookUp }: WriterFactsParts): ReasonFacts {
  const { claims, guard, records, removals } = writer;
  return {
    hidden,
    outcome: (id) => claims.outcome(id),
    isHeld: (id) => guard.isHeld(id),
    isPartHeld: (id, cluster) => removals.ofParts.isHeld({ id }, cluster),
    title: (id) => {
      const identity = records.get(id)?.identity;
      return identity && groupTitle(identity);
    },
    whyHeldForGood: (id) => {
      const record = records.get(id);
      return record && whyHeldForGood(record, lookUp);
    },
    isLeaving: (id) => records.get(id)?.leaving !== undefined,
    batch: () => guard.status().batch,
    gateway: () => writer.breaker.state,
    isPaused: () => writer.pause.isOn,
    nextBurst: () => writer.bursts.wait,
    waitsFor: () => (writer.areBurstsOpen ? undefined : waitsFor()),
    now: () => clock.now(),
    wall: () => clock.wall(),
  };
}
