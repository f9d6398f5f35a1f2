import { eventsOf, type BenchKind, type Change, type Events } from "../ingest/events.ts";
import { ingestPath, type IngestPath, type PathName } from "../ingest/paths.ts";
import { serve } from "./serve.ts";
import { cpuNow } from "./usage.ts";

/** One way to take in watch events, in a process of its own: what V8 learns of one says nothing of another. */

export interface Measured {
  readonly events: number;
  readonly kept: number;
  /** Milliseconds of the whole process, collection of garbage too. */
  readonly cpu: number;
}

export type IngestCommands = {
  readonly load: (path: PathName, kind: BenchKind, objects: number) => number;
  /** Sends at least so many events. */
  readonly measure: (kind: BenchKind, change: Change, atLeast: number) => Promise<Measured>;
};

let path: IngestPath | undefined;
const loaded = new Map<BenchKind, { readonly events: Events; readonly objects: number }>();

const commands: IngestCommands = {
  load(name, kind, objects) {
    path ??= ingestPath(name);
    const events = eventsOf(kind, path.format, objects);
    loaded.set(kind, { events, objects });
    return events.bytesPerEvent;
  },

  async measure(kind, change, atLeast) {
    const known = loaded.get(kind);
    if (path === undefined || known === undefined) throw new Error(`${kind} were not loaded`);
    const { events, objects } = known;
    await path.start(kind);
    await path.take(events.first);
    const begun = cpuNow();
    let sent = 0;
    let kept = 0;
    for (let round = 0; sent < atLeast; round++) {
      kept += await path.take(events.rounds[change][round % 2] ?? []);
      sent += objects;
    }
    return { events: sent, kept, cpu: cpuNow() - begun };
  },
};

serve(commands);
