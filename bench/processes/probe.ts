/**
 * Loaded into a process before its own code (`node --import`): measures it from inside and answers the bench, so that the
 * program under test stays the real command, untouched.
 */
import { isMainThread } from "node:worker_threads";
import { LoopWatch } from "./loop-watch.ts";
import { serve } from "./serve.ts";
import { usageNow, type Usage } from "./usage.ts";
import type { Block, CpuSample } from "./loop-watch.ts";

export interface ProbeReading {
  readonly usage: Usage;
  /** The longest blocks of the main thread's event loop, longest first. */
  readonly blocks: readonly Block[];
  readonly cpu: readonly CpuSample[];
}

export type ProbeCommands = {
  readonly read: () => ProbeReading;
  /** Stops the timers of the probe: what follows is measured from outside. */
  readonly rest: () => void;
};

if (isMainThread && process.send !== undefined) {
  const watch = new LoopWatch();
  watch.start();
  const commands: ProbeCommands = {
    read() {
      watch.sample();
      return { usage: usageNow(), blocks: watch.blocks, cpu: watch.cpu };
    },
    rest: () => watch.stop(),
  };
  serve(commands);
}
